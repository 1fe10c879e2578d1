import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');

/** A regular expression as it stands in src. */
export interface SourceRegex {
  /** As it is written, or the whole call of `RegExp`. */
  readonly text: string;
  readonly file: string;
}

/** Every regular expression in src, by TypeScript's own reading of the files. */
export function regexesInSource(): readonly SourceRegex[] {
  const found: SourceRegex[] = [];
  for (const file of globSync('src/**/*.ts', { cwd: root })) {
    const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      const isCall =
        (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(source) === 'RegExp';
      if (isCall || ts.isRegularExpressionLiteral(node)) found.push({ text: node.getText(source), file });
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** The expression of a literal. */
export function regexOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}
