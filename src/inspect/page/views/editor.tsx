import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { keywordsIn } from '../engine/edits.ts';
import { usePage } from '../shell/context.ts';

/** The fields to edit a tool's description and keywords. */
export function ToolEditor({ name }: { readonly name: string }): JSX.Element | null {
  const { history, edits } = usePage();
  const tool = history.tool(name);
  const edit = edits.get(name);
  const words = tool?.keywords?.join(', ') ?? '';
  // The field keeps the typed text, because a comma at its end is not yet a keyword.
  const [text, setText] = useState(words);
  const isSame = keywordsIn(text).join(', ') === words;
  useEffect(() => {
    if (!isSame) setText(words);
  }, [words]);
  if (!tool) return null;
  const id = (field: string): string => `${field} ${name}`.replaceAll(/\W/g, '-');
  const sign = (isEdited: boolean): JSX.Element | null => (isEdited ? <span class="warn"> ● edited</span> : null);
  return (
    <div class="editor">
      <label for={id('description')} class="small">
        <b>Description</b>
        {sign(edit?.description !== undefined)}
      </label>
      <textarea
        id={id('description')}
        rows={3}
        spellcheck={false}
        value={tool.description}
        onInput={({ currentTarget }) => history.change(name, { description: currentTarget.value })}
        onBlur={() => history.seal()}
      />
      <label for={id('keywords')} class="small">
        <b>Keywords</b> <span class="muted">for searches only, with commas between them</span>
        {sign(edit?.keywords !== undefined)}
      </label>
      <input
        id={id('keywords')}
        autocomplete="off"
        spellcheck={false}
        value={isSame ? text : words}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          history.change(name, { keywords: keywordsIn(currentTarget.value) });
        }}
        onBlur={() => history.seal()}
      />
      {edit && (
        <p>
          <button type="button" class="small" onClick={() => history.revert(name)}>
            Take back the edits of this tool
          </button>
        </p>
      )}
    </div>
  );
}
