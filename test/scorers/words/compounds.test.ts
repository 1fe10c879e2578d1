// Compounds with a stop word, as users write them: "to-dos" for todos. Without the hyphen they are two words that say little.
import { bm25Scorer, type ToolDocument, wordsAndMeaningScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { document } from '../../fixtures/tools.ts';
import { namesOf } from '../scorer-contract.ts';

const DO = 'Durable Objects (DOs) of a GitLab project at Cloudflare';
const documents: readonly ToolDocument[] = [
  document('gitlab_list_todos', 'List the todos of the current user.'),
  document('gitlab_list_issues', 'List the issues of a project.'),
  document('cloudflare_do_create_namespace', `Create a namespace of ${DO}.`),
  document('cloudflare_do_list_namespaces', `List namespaces of ${DO}.`),
  document('grafana_get_oncall_users', 'Who has the shift now.'),
  document('twilio_list_calls', 'List the calls of an account.'),
  document('start_onboarding', 'Begin the first days of an employee.'),
  document('boarding_pass_get', 'Get the boarding pass of a flight.'),
  document('send_in_app_notice', 'Show a notice to a user.'),
  document('list_apps', 'List the apps of an account.'),
  document('opt_out_contact', 'Takes a contact from a list.'),
  document('invoice_create', 'Create an invoice.'),
  document('transcribe', 'Writes down a voice.'),
];

describe.each([
  ['bm25', bm25Scorer()],
  ['words and meaning', wordsAndMeaningScorer()],
])('%s', (_, scorer) => {
  it.each([
    ['GitLab to-dos', 'gitlab_list_todos'],
    ['list my GitLab to-dos', 'gitlab_list_todos'],
    ['to-do list', 'gitlab_list_todos'],
    ['who is on-call', 'grafana_get_oncall_users'],
    ['on-boarding', 'start_onboarding'],
    ['in-app notice', 'send_in_app_notice'],
  ])('reads the compound of "%s" as one word where a tool has it', async (query, expected) => {
    expect((await namesOf(scorer, documents, query))[0]).toBe(expected);
  });

  it('finds by the rest of a compound as well, behind it, and by that alone where no tool has the compound', async () => {
    expect(await namesOf(scorer, documents, 'on-boarding')).toContain('boarding_pass_get');
    const others = documents.filter(({ name }) => name !== 'start_onboarding');
    expect((await namesOf(scorer, others, 'on-boarding'))[0]).toBe('boarding_pass_get');
  });

  it('takes two words without a hyphen for two', async () => {
    expect((await namesOf(scorer, documents, 'answer in voice'))[0]).toBe('transcribe');
  });
});
