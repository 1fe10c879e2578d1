import type { OpenAIBody, OpenAIItem } from './fake-openai.ts';
import { events, halves, type Json, wireId } from './fake-wire.ts';

/** Answers items of the Responses service as a chat completion: it knows only texts and function calls. */
export function openaiChat(content: readonly OpenAIItem[], { model, stream }: OpenAIBody, count: number): Response {
  const text = content
    .filter(({ type }) => type === 'message')
    .map((item) => (item.content as [{ text: string }])[0].text)
    .join('');
  const calls = content
    .filter(({ type }) => type === 'function_call')
    .map((item) => ({
      id: item.call_id,
      type: 'function',
      function: { name: item.name, arguments: String(item.arguments) },
    }));
  const head = { id: wireId('chatcmpl-', count), created: 1_760_000_000, model };
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (stream !== true) {
    const message = { role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) };
    return Response.json({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason, logprobs: null }],
      usage,
    });
  }
  const chunk = (delta: Json, reason: string | null = null): Json => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }],
  });
  const all = [
    chunk({ role: 'assistant', content: '' }),
    ...halves(text).map((piece) => chunk({ content: piece })),
    ...calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] }),
      ...halves(call.function.arguments).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, finish_reason),
    { ...head, object: 'chat.completion.chunk', choices: [], usage },
  ];
  return events(all, 'data: [DONE]\n\n');
}
