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
  `</script><script>${MARK}</script>`,
  `<!--<script>${MARK}</script>-->`,
  `"><img src=x onerror="${MARK}">`,
  `'><svg onload='${MARK}'><iframe srcdoc="<script>parent.ran = 1</script>"></iframe>`,
  '<style>* { display: none !important }</style>',
  `<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<form action="https://evil.example/"><button autofocus onfocus="${MARK}">Go</button></form>`,
  `javascript:${MARK}`,
  `\${(() => { ${MARK} })()} {{constructor.constructor('${MARK}')()}} <%= ran %>`,
  `line\u2028separator\u2029paragraph\r\nbreak\u0000null\u0007bell\u001b[31mred \u202egnp.exe\u2066 \u{e0041} half \ud83d`,
  `</textarea></title></style></noscript></template><math><mi xlink:href="data:x,<script>ran()</script>">`,
  '&lt;script&gt;&#60;script&#62; &amp;amp; %3Cscript%3E \\u003cscript\\u003e __proto__ constructor',
  `${'x'.repeat(50_000)} ${'word '.repeat(20_000)} ${'🏳️‍🌈'.repeat(2_000)}`,
];

/** A tool of whose schema each part is this text. */
function hostile(name: string, text: string): HostileTool {
  const short = text.slice(0, 500);
  const property = { type: 'string', description: text, enum: [short], default: short };
  const properties = JSON.parse(JSON.stringify({ [text.slice(0, 200)]: property })) as object;
  return {
    ...{ name, description: `Send an email. ${text}` },
    inputSchema: { type: 'object', title: short, description: short, properties, required: [text.slice(0, 200)] },
    mcpMetadata: { serverName: text.slice(0, 100), serverInstructions: text.slice(0, 1_000) },
  };
}

/** Tools whose every text is hostile, and one that is not. */
export function hostileTools(): readonly HostileTool[] {
  const proto = JSON.parse('{ "type": "object", "properties": { "__proto__": { "type": "string", "ran": true } } }');
  const email = { description: 'Send an email.', inputSchema: proto as object };
  return [
    ...TEXTS.map((text, at) => hostile(`tool_${at}`, text)),
    // A name that is no name: it is repaired, and shown as a keyword.
    ...TEXTS.slice(0, 8).map((text): HostileTool => ({ name: text, description: text, inputSchema: {} })),
    ...['constructor', '__proto__', 'send_email'].map((name): HostileTool => ({ name, ...email })),
  ];
}
