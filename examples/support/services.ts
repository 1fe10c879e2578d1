/** A tool as a catalog of tools tells it. What runs it lies elsewhere. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  /** The service that it belongs to, if to any. */
  readonly group?: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties?: Readonly<Record<string, { readonly type: 'string' }>>;
    readonly required?: string[];
  };
}

function definition(name: string, description: string, required: string[]): Definition {
  const properties = Object.fromEntries(required.map((parameter) => [parameter, { type: 'string' as const }]));
  const inputSchema = { type: 'object' as const, properties, required };
  return { name, description, group: name.slice(0, name.indexOf('_')), inputSchema };
}

/** Tools of some services. */
export const definitions: readonly Definition[] = [
  definition('weather_current', 'Get the current weather of a city', ['city']),
  definition('weather_forecast', 'Get the weather forecast of a city for the next days', ['city']),
  definition('mail_send', 'Send an email message to somebody', ['to', 'subject', 'body']),
  definition('mail_search', 'Search the mailbox for messages', ['query']),
  definition('calendar_create_event', 'Create an event in the calendar', ['title', 'start', 'end']),
  definition('calendar_list_events', 'List the events of a day in the calendar', ['day']),
  definition('billing_create_invoice', 'Create an invoice for a customer', ['customer', 'amount']),
  definition('billing_list_customers', 'List the customers of a country', ['country']),
  definition('money_convert', 'Convert an amount from one currency into another', ['amount', 'from', 'to']),
  definition('text_translate', 'Translate a text into another language', ['text', 'language']),
];

/** Does what a tool does, as far as an example goes. */
export function runTool(name: string, input: Readonly<Record<string, unknown>>): string {
  if (name === 'weather_current') return `It is sunny in ${String(input['city'])}, 21 °C.`;
  if (name === 'weather_forecast') return `Rain is coming to ${String(input['city'])}.`;
  return `${name} is done.`;
}
