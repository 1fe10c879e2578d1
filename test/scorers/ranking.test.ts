import { bm25Scorer, type ToolIndex } from 'mastra-tool-search';
import { beforeAll, describe, expect, it } from 'vitest';
import { catalog } from '../fixtures/tools.ts';
import { ask } from './scorer-contract.ts';

/**
 * What the default scorer puts on top for questions as models write them. A change of the ranking shows here: look at
 * the reason on the line before you change the expectation.
 */
let index: ToolIndex;

beforeAll(async () => {
  index = await bm25Scorer().index(catalog);
});

const ranking = (query: string): Promise<readonly string[]> => ask(index, query);

/** The first results in order. */
type Golden = readonly [query: string, first: readonly string[], why: string];

const goldens: readonly Golden[] = [
  // Keywords
  ['create issue', ['github_create_issue'], 'both words in the name; others have one'],
  ['comment on an issue', ['github_add_issue_comment'], 'both words in the name, "on an" says nothing'],
  ['send a message to a channel', ['slack_post_message'], 'name and description together beat send_email'],
  ['weather forecast', ['get-weather-forecast'], 'both words; the other weather tools have one'],
  ['weather warnings about storms', ['get-weather-alerts'], 'the description has what the name lacks'],
  ['list files', ['list_directory'], 'one word in the name, the other in the description'],
  ['rename a folder', ['move_file'], 'the description alone has "rename"'],
  ['temperature', ['get-current-weather'], 'one word of one description'],
  ['number of replicas', ['k8s_scale_deployment'], 'description and parameter'],
  ['cancel a meeting event', ['calendarDeleteEvent'], '"cancel" is rare, "event" stands in the name'],
  ['search tickets', ['jira_search'], 'one word in the name, the other in the description'],
  ['knowledge base article', ['acme_lookup'], 'the first line of a long description counts'],
  ['could you please tell me the current weather', ['get-current-weather'], 'politeness says nothing'],

  // Other forms of a word
  ['translating texts', ['translateText'], 'translating → translate, texts → text'],
  ['translations', ['translateText'], 'the stem is the same'],
  ['scheduling meetings', ['calendarCreateEvent'], 'schedule a meeting'],
  ['uploaded objects', ['s3_upload_object'], 'upload an object'],
  ['searching files', ['search_files'], 'search, files'],

  // Words that the catalog does not have
  ['shcedule', ['calendarCreateEvent'], 'two letters swapped'],
  ['currancy', ['currency-convert'], 'a wrong letter'],
  ['forecat', ['get-weather-forecast'], 'a letter is missing'],
  ['reppository webhook', ['github_create_webhook'], 'a letter too many beside a right word'],
  ['kuber', ['k8s_list_pods'], 'the beginning of Kubernetes'],
  ['attend', ['calendarCreateEvent'], 'the beginning of attendees, twice in this document'],

  // One word or two
  ['web hook', ['github_create_webhook'], 'two words that are one in the name'],
  ['sendemail', ['send_email'], 'one word that is two in the name'],
  ['pod list', ['k8s_list_pods'], 'the order of words does not matter'],

  // Acronyms and digits
  ['HTTP', ['getHTTPHeaders'], 'taken out of the camelCase name'],
  ['k8s pods', ['k8s_list_pods'], 'digits stay with their letters'],
  ['S3', ['s3_upload_object'], 'as short as a word can be'],
  ['SQL plan', ['postgres_explain_query'], 'an acronym and a rare word'],

  // Parameters
  ['jql', ['jira_search'], 'the name of a parameter'],
  ['iban', ['bank_transfer'], 'the name of a parameter'],
  ['attendees', ['calendarCreateEvent', 'calendarDeleteEvent'], 'description and parameter before description alone'],
  ['squash', ['github_merge_pull_request'], 'a value of an enum'],
  ['EUR', ['currency-convert'], 'a value of an enum, in capitals'],
  ['imperial', ['get-current-weather'], 'a value of an enum'],
  ['epic', ['jira_create_ticket'], 'a value of an enum, in another case'],
  ['DeepL', ['translateText'], 'the title'],

  // Servers
  ['slack emoji', ['slack_add_reaction'], 'the server selects four, the other word one'],
  ['jira create', ['jira_create_ticket'], 'not the create of another server'],
  ['postgres tables', ['postgres_list_tables'], 'not the list of another server'],

  // What many tools say
  ['email', ['send_email'], 'two long descriptions mention it too'],
  [
    'calendar',
    ['calendarCreateEvent', 'calendarListEvents', 'calendarDeleteEvent'],
    'the same; what deletes comes last',
  ],
  ['ticket', ['jira_transition_ticket', 'jira_create_ticket'], 'names before what all say'],
  ['customer contact', ['crm_upsert_contact'], 'a long description is found by what it is about'],

  // Other languages
  ['Überweisung', ['bank_transfer'], 'as in the description'],
  ['ÜBERWEISUNG', ['bank_transfer'], 'capital umlauts'],
  ['u\u0308berweisung', ['bank_transfer'], 'the umlaut as two characters'],
  ['快递', ['parcel_status'], 'a word inside a sentence without spaces'],
  ['查询包裹状态', ['parcel_status'], 'a sentence without spaces'],

  // Required words
  ['+slack list', ['slack_list_channels'], 'both words, and one is required'],
  ['+k8s change', ['k8s_scale_deployment'], 'only two tools are left, one has the other word'],
  ['weather +forecast', ['get-weather-forecast'], 'the required word need not be the first'],
];

describe('the default ranking', () => {
  it.each(goldens)('for "%s" begins with %j: %s', async (query, first) => {
    expect((await ranking(query)).slice(0, first.length)).toEqual(first);
  });

  it.each([
    ['slack', ['slack_add_reaction', 'slack_get_users', 'slack_list_channels', 'slack_post_message']],
    ['postgres', ['postgres_explain_query', 'postgres_list_tables', 'postgres_query']],
    ['k8s', ['k8s_list_pods', 'k8s_scale_deployment']],
    ['weather', ['get-current-weather', 'get-weather-alerts', 'get-weather-forecast']],
  ])('puts the tools of the server "%s" before all others', async (server, tools) => {
    expect([...(await ranking(server)).slice(0, tools.length)].sort()).toEqual(tools);
  });

  it.each([
    ['send an email', 'send_email'],
    ['delete event from calendar', 'calendarDeleteEvent'],
    ['create jira ticket', 'jira_create_ticket'],
    ['list issues', 'github_list_issues'],
    ['weather', 'get-current-weather'],
  ])('does not let a long description drown a short tool for "%s"', async (query, expected) => {
    const found = await ranking(query);
    for (const long of ['crm_upsert_contact', 'acme_lookup']) {
      const position = found.indexOf(long);
      if (position >= 0) expect(found.indexOf(expected)).toBeLessThan(position);
    }
    expect(found).toContain(expected);
  });
});
