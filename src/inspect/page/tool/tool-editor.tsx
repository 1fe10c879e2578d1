import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { InspectTool } from '../../data.ts';
import type { EditHistory } from '../engine/edit-history.ts';
import { keywordsOf, type ToolEdit } from '../engine/edits.ts';
import { Code } from '../ui/code.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { shownText } from '../ui/shown-text.ts';
import { differenceText, keywordsSnippet } from './change-text.ts';

interface ToolEditorProps {
  readonly tool: InspectTool;
  readonly original: InspectTool;
  readonly edit: ToolEdit | undefined;
  readonly history: EditHistory;
}

/** The fields in which a tool is changed. */
export function ToolEditor({ tool, original, edit, history }: ToolEditorProps): JSX.Element {
  const { name } = tool;
  const snippet = edit && keywordsSnippet([[name, edit]]);
  return (
    <section class="editor" aria-label="Edit">
      <DescriptionField
        value={tool.description}
        isEdited={edit?.description !== undefined}
        change={(description) => history.change(name, { description })}
        leave={() => history.seal()}
      />
      <KeywordsField
        value={tool.keywords ?? []}
        isEdited={edit?.keywords !== undefined}
        change={(keywords) => history.change(name, { keywords })}
        leave={() => history.seal()}
      />
      {edit && (
        <>
          <p class="editor-actions">
            <button type="button" class="small" onClick={() => history.revert(name)}>
              Take back the edits of this tool
            </button>
            <CopyButton what="difference" text={() => differenceText(original, edit)} />
            {snippet !== undefined && <CopyButton what="as search.keywords" text={() => snippet} />}
          </p>
          <Code label="Difference">
            {differenceText(original, edit)
              .trimEnd()
              .split('\n')
              .map((line, at) => (
                <span key={`${at} ${line}`} class={classOf(line)}>
                  {shownText(line)}
                  {'\n'}
                </span>
              ))}
          </Code>
        </>
      )}
    </section>
  );
}

function classOf(line: string): string | undefined {
  if (line.startsWith('+')) return 'good';
  if (line.startsWith('-')) return 'bad';
  return line.startsWith('@@') ? 'muted' : undefined;
}

interface FieldProps<Value> {
  readonly value: Value;
  readonly isEdited: boolean;
  change(value: Value): void;
  leave(): void;
}

function DescriptionField({ value, isEdited, change, leave }: FieldProps<string>): JSX.Element {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // As high as its text, where the browser does not do it by itself.
  useEffect(() => {
    const area = field.current;
    if (!area || CSS.supports('field-sizing', 'content')) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [value]);
  return (
    <>
      <FieldLabel id={id} text="Description" isEdited={isEdited} />
      <textarea
        id={id}
        ref={field}
        rows={3}
        spellcheck={false}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
        onBlur={leave}
      />
    </>
  );
}

function KeywordsField({ value, isEdited, change, leave }: FieldProps<readonly string[]>): JSX.Element {
  const id = useId();
  // What is typed stays as it is typed: a comma at its end is no keyword yet.
  const [text, setText] = useState(value.join(', '));
  const isSame = keywordsOf(text).join('\n') === value.join('\n');
  useEffect(() => {
    if (!isSame) setText(value.join(', '));
  }, [value]);
  return (
    <>
      <FieldLabel id={id} text="Keywords" hint="for searches only, with commas between them" isEdited={isEdited} />
      <input
        id={id}
        autocomplete="off"
        spellcheck={false}
        value={isSame ? text : value.join(', ')}
        onInput={(event) => {
          setText(event.currentTarget.value);
          change(keywordsOf(event.currentTarget.value));
        }}
        onBlur={leave}
      />
    </>
  );
}

interface FieldLabelProps {
  readonly id: string;
  readonly text: string;
  readonly hint?: string;
  readonly isEdited: boolean;
}

function FieldLabel({ id, text, hint, isEdited }: FieldLabelProps): JSX.Element {
  return (
    <label for={id} class="small field-label">
      <b>{text}</b>
      {hint && <span class="muted"> {hint}</span>}
      {isEdited && (
        <span class="warn">
          {' '}
          <span class="dot" aria-hidden="true" />
          edited
        </span>
      )}
    </label>
  );
}
