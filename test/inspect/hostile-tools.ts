/** A tool as a list of an MCP server has it. */
export interface HostileTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly mcpMetadata?: object;
}

const MARK = `globalThis.ran = 1; document.documentElement.dataset.ran = 1`;

/** Texts that run, load, break or hide something where they are taken for more than text. */
const TEXTS: readonly string[] = [
  `<script>${MARK}</script>`,
  `</script><script>${MARK}</script>`,
  `<!--<script>${MARK}</script>-->`,
  `"><img src=x onerror="${MARK}">`,
  `'><svg onload='${MARK}'>`,
  `<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>`,
  `<style>* { display: none !important }</style>`,
  `<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<form action="https://evil.example/"><button autofocus onfocus="${MARK}">Go</button></form>`,
  `javascript:${MARK}`,
  `[click](javascript:${encodeURIComponent(MARK)})`,
  `\${(() => { ${MARK} })()} {{constructor.constructor('${MARK}')()}} <%= ran %>`,
  `line\u2028separator\u2029paragraph\r\nbreak\u0000null\u0007bell\u001b[31mred`,
  `\u202egnp.exe\u2066 hidden \u2069\u200b\u200d\ufeff\u{e0041}\u{e0042}`,
  `half \ud83d and \udc00`,
  `</textarea></title></style></noscript></template><math><mi xlink:href="data:x,<script>ran()</script>">`,
  '&lt;script&gt;&#60;script&#62; &amp;amp; %3Cscript%3E \\u003cscript\\u003e',
  '__proto__ constructor toString hasOwnProperty',
  'x'.repeat(50_000),
  `${'word '.repeat(20_000)}`,
  '🏳️‍🌈'.repeat(2_000),
];

/** Tools whose every text is hostile, and one that is not. */
export function hostileTools(): readonly HostileTool[] {
  const hostile = TEXTS.map((text, at): HostileTool => {
    const properties = JSON.parse(
      JSON.stringify({
        [text.slice(0, 200)]: {
          type: 'string',
          description: text,
          enum: [text.slice(0, 500)],
          default: text.slice(0, 500),
        },
      }),
    ) as object;
    return {
      name: `tool_${at}`,
      description: `Send an email. ${text}`,
      inputSchema: {
        type: 'object',
        title: text.slice(0, 500),
        description: text.slice(0, 500),
        properties,
        required: [text.slice(0, 200)],
      },
      mcpMetadata: { serverName: text.slice(0, 100), serverInstructions: text.slice(0, 1_000) },
    };
  });
  // A name that is no name: it is repaired, and shown as a keyword.
  const named = TEXTS.slice(0, 12).map((text): HostileTool => ({ name: text, description: text, inputSchema: {} }));
  const proto = JSON.parse(
    `{ "type": "object", "properties": { "__proto__": { "type": "string", "ran": true } } }`,
  ) as object;
  return [
    ...hostile,
    ...named,
    { name: 'constructor', description: 'Send an email.', inputSchema: proto },
    { name: '__proto__', description: 'Send an email.', inputSchema: proto },
    { name: 'send_email', description: 'Send an email.', inputSchema: { type: 'object' } },
  ];
}
