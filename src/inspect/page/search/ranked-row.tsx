import type { JSX } from 'preact';
import { type MatchExplanation, readParameters, type ToolParameter } from '../../../kit.ts';
import type { InspectTool } from '../../data.ts';
import type { RankedTool } from '../engine/ranking.ts';
import { hashOf } from '../shell/route.ts';
import { Bar } from '../ui/bar.tsx';
import { LitText } from '../ui/lit-text.tsx';
import { percentText, shortNumber } from '../ui/numbers.ts';
import { excerptOf } from './excerpt.ts';
import { Explanation } from './explanation.tsx';
import { isLit, type Lit, litBy, segmentsOf } from './highlight.ts';
import type { Move } from './moves.ts';

interface RankedRowProps {
  readonly tool: RankedTool;
  /** From 0 on. */
  readonly place: number;
  /** Undefined for a tool that the server has and the page has not. */
  readonly catalogTool: InspectTool | undefined;
  readonly isEdited: boolean;
  /** Whether it is the last one that the model is shown. */
  readonly isLastShown: boolean;
  readonly move: Move | undefined;
  readonly scorer: string;
  /** The name of the scorer beside. */
  readonly beside: string;
  readonly isOpen: boolean;
  toggle(name: string): void;
}

/** Parameters of a row. */
const MAX_PARAMETERS = 6;

/** A tool of a ranking. */
export function RankedRow(props: RankedRowProps): JSX.Element {
  const { tool, place, catalogTool, isOpen, isEdited } = props;
  const { name, fate, confidence } = tool;
  const lit = litBy(tool.explanation, tool.points);
  const description = segmentsOf(catalogTool?.description ?? '', lit);
  return (
    <li class="row" data-row-of data-fate={fate} data-last={props.isLastShown || undefined}>
      <span class="place">{place + 1}</span>
      <div class="row-body">
        <div class="row-head">
          <a data-row href={hashOf('tools', name)} class="mono name">
            <LitText segments={segmentsOf(name, lit)} isName />
          </a>
          {isEdited && <span class="dot" role="img" aria-label="edited" />}
          {fate === 'tail' && (
            <span class="badge" title="Its score is less than 5 % of the best one: the model is not shown it.">
              cut off
            </span>
          )}
          <MoveSign move={props.move} beside={props.beside} />
          <span class="spring" />
          {confidence === undefined ? (
            <span class="small muted score">{shortNumber(tool.score)}</span>
          ) : (
            <span
              class="confidence small"
              title={`Confidence ${percentText(confidence)}, score ${shortNumber(tool.score)}`}
            >
              <Bar share={confidence} />
              <span class="number">{percentText(confidence)}</span>
            </span>
          )}
          <button
            type="button"
            class="quiet icon"
            data-explain
            aria-expanded={isOpen}
            aria-label={`Why ${name}`}
            title="Why (Space)"
            onClick={() => props.toggle(name)}
          >
            <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
              <path
                d={isOpen ? 'M3 10l5-5 5 5' : 'M3 6l5 5 5-5'}
                fill="none"
                stroke="currentColor"
                stroke-width="1.6"
              />
            </svg>
          </button>
        </div>
        {catalogTool ? (
          <p class="row-text">
            <LitText segments={isOpen ? description : excerptOf(description)} />
          </p>
        ) : (
          <p class="row-text muted">A tool of the server that this page does not have.</p>
        )}
        {isOpen && <Explanation tool={tool} scorer={props.scorer} />}
        {catalogTool && tool.explanation && (
          <Extras tool={catalogTool} lit={lit} fields={fieldsIn(tool.explanation)} isOpen={isOpen} />
        )}
      </div>
    </li>
  );
}

function MoveSign({ move, beside }: { readonly move: Move | undefined; readonly beside: string }): JSX.Element | null {
  if (!move) return null;
  if (move.type === 'only-here') {
    return (
      <span class="move" title={`Not found by ${beside}`}>
        only here
      </span>
    );
  }
  if (move.by === 0) return null;
  const label = `Place ${move.there} with ${beside}`;
  return (
    <span class="move" title={label} role="img" aria-label={label}>
      {move.by > 0 ? `↑${move.by}` : `↓${-move.by}`}
    </span>
  );
}

interface ExtrasProps {
  readonly tool: InspectTool;
  readonly lit: Lit;
  /** The fields in which something was found. */
  readonly fields: ReadonlySet<string>;
  readonly isOpen: boolean;
}

/** The keywords and parameters in which something was found. */
function Extras({ tool, lit, fields, isOpen }: ExtrasProps): JSX.Element | null {
  const keywords = (isOpen || fields.has('keywords') ? (tool.keywords ?? []) : [])
    .map((word) => segmentsOf(word, lit))
    .filter(isLit);
  const isInParameters = fields.has('parameters') || fields.has('parameterDescriptions');
  const found = (isInParameters ? parametersOf(tool) : [])
    .map((parameter) => ({
      name: segmentsOf(parameter.name, lit),
      text: segmentsOf([parameter.description, ...parameter.values].filter((part) => part !== '').join(' · '), lit),
    }))
    .filter(({ name, text }) => isLit(name) || isLit(text));
  if (found.length + keywords.length === 0) return null;
  const most = isOpen ? found.length : MAX_PARAMETERS;
  return (
    <ul class="extras small">
      {keywords.map((segments) => (
        <li class="keyword">
          <LitText segments={segments} />
        </li>
      ))}
      {found.slice(0, most).map(({ name, text }) => (
        <li>
          <span class="mono">
            <LitText segments={name} />
          </span>
          {isOpen && text.length > 0 && (
            <span class="muted">
              {' '}
              <LitText segments={excerptOf(text)} />
            </span>
          )}
        </li>
      ))}
      {found.length > most && <li class="muted">{`+${found.length - most}`}</li>}
    </ul>
  );
}

/** The fields in which the words of a query were found. */
function fieldsIn({ words }: MatchExplanation): ReadonlySet<string> {
  return new Set(words.flatMap(({ fields }) => Object.keys(fields)));
}

const read = new WeakMap<object, readonly ToolParameter[]>();

/** The parameters of a tool, read once. */
function parametersOf({ inputSchema }: InspectTool): readonly ToolParameter[] {
  if (typeof inputSchema !== 'object' || inputSchema === null) return [];
  const known = read.get(inputSchema);
  if (known) return known;
  const parameters = readParameters(inputSchema);
  read.set(inputSchema, parameters);
  return parameters;
}
