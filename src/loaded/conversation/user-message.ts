import { isStopWord } from '../../scorers/words/stop-words.ts';
import { words } from '../../scorers/words/words.ts';
import { asRecord } from '../../util/record.ts';
import { cut } from '../../util/text.ts';
import { type Conversation, partsOf, roleOf } from './messages.ts';

/** Characters of a message that are read. */
const MAX_TEXT = 2_000;
/** Words from which a message is long, and searched by clauses as well. */
const LONG = 40;
/** Clauses that are searched, and the words of the shortest. */
const MAX_CLAUSES = 8;
const MIN_WORDS = 3;

/** The text of the user's last message; empty where it has none. */
export function lastUserText(messages: Conversation): string {
  const message = messages.findLast((one) => roleOf(one) === 'user');
  const content = message?.content;
  if (typeof content === 'string') return content;
  const texts = partsOf(content).flatMap((part) => {
    const { type, text } = asRecord(part) ?? {};
    return type === 'text' && typeof text === 'string' ? [text] : [];
  });
  const whole = asRecord(content)?.['content'];
  return texts.length > 0 ? texts.join('\n') : typeof whole === 'string' ? whole : '';
}

/** What is searched of a message: its beginning, and the clauses of a long one. Empty for small talk. */
export function textsOf(message: string): readonly string[] {
  const text = cut(message.trim(), MAX_TEXT);
  if (isSmallTalk(text)) return [];
  const clauses = text.split(/\s+/).length < LONG ? [] : clausesOf(text);
  return clauses.length > 1 ? [text, ...clauses.slice(0, MAX_CLAUSES)] : [text];
}

const END_OF_SENTENCE = /(?<=[.!?;])\s+|(?<=[。！？；])|\n+/;
const NEXT_THING = /(?:,\s*|\s)(?=(?:and then|and also|after that|then)\s)|,\s+(?=(?:and|also|but|so)\s)/i;

function clausesOf(text: string): readonly string[] {
  const parts = text.split(END_OF_SENTENCE).flatMap((sentence) => sentence.split(NEXT_THING));
  return parts.map((part) => part.trim()).filter((part) => part.split(/\s+/).length >= MIN_WORDS);
}

/** Words of greeting, thanks, consent and asking back, which no tool is asked for with alone. */
const SMALL_TALK = new Set(
  `hello hi hey hallo greetings good morning afternoon evening night bye goodbye welcome today thank thanks thx ty cheers
  please pls yes yeah yep no nope not ok okay fine sure right correct wrong agree exactly great nice cool perfect awesome
  wonderful sounds much very well done go on continue proceed next again more so that why what who when how mean help
  helped understand explain sorry oops never mind wait really true try just did say said tell know think
  hola gracias danke bitte merci oui ja nein bonjour salut ciao grazie obrigado olá`.split(/\s+/),
);

/** Whether a message says nothing that a tool could be found by. */
function isSmallTalk(text: string): boolean {
  return words(text).every((word) => isStopWord(word) || SMALL_TALK.has(word));
}
