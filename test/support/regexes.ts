import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');

/** A regular expression as it stands in src. */
export interface SourceRegex {
  /** As it is written, the whole call of `RegExp`, or what a call of `lazyRegex` or `regexFor` makes, as a literal. */
  readonly text: string;
  readonly file: string;
  /** Whether it is made at its first use. */
  readonly isLazy: boolean;
}

/** Every regular expression in src, by TypeScript's own reading of the files. */
export function regexesInSource(): readonly SourceRegex[] {
  const found: SourceRegex[] = [];
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: root })) {
    const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionDeclaration(node) && /^(lazyRegex|regexFor)$/.test(node.name?.text ?? '')) return;
      const callee = ts.isNewExpression(node) || ts.isCallExpression(node) ? node.expression.getText(source) : '';
      if (callee === 'lazyRegex' || callee === 'regexFor')
        found.push({ text: literalOf(node as ts.CallExpression, source), file, isLazy: true });
      else if (callee === 'RegExp' || ts.isRegularExpressionLiteral(node))
        found.push({ text: node.getText(source), file, isLazy: false });
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** A call of `lazyRegex` or `regexFor` as a literal. */
function literalOf({ arguments: [raw, flags] }: ts.CallExpression, source: ts.SourceFile): string {
  const text = /^String\.raw`(.*)`$/s.exec(raw?.getText(source) ?? '')?.[1];
  if (text === undefined) throw new Error(`It takes String.raw\`…\`: ${raw?.getText(source)}`);
  return `/${text}/${(flags as ts.StringLiteral).text}`;
}

/** The expression of a literal. */
export function regexOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}
