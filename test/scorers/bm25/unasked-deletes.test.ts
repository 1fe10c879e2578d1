import { bm25Scorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { document } from '../../fixtures/tools.ts';
import { namesOf } from '../scorer-contract.ts';

const others = ['get_weather', 'send_email', 'list_birds', 'translate_text', 'update_calendar'].map((name) =>
  document(name, `${name.replace('_', ' ')}.`),
);

describe('what deletes comes first for a query that means so in other words', () => {
  it.each([
    { query: 'revoke an api key', deleting: 'delete_api_key', says: 'Revokes an API key.', other: 'create_api_key' },
    { query: 'unpin a message', deleting: 'remove_pin', says: 'Unpins a message.', other: 'pin_message' },
    {
      ...{ query: 'detach the policy from the role', deleting: 'remove_role_policy' },
      ...{ says: 'Detaches a policy from a role.', other: 'get_role_policy' },
    },
    { query: 'unlike the post', deleting: 'delete_like', says: 'Unlikes a post.', other: 'get_post' },
    { query: 'unfollow a user', deleting: 'delete_follow', says: 'Unfollows a user.', other: 'get_user' },
    { query: 'flush the cache', deleting: 'purge_cache', says: 'Flushes the cache.', other: 'get_cache' },
  ])('"$query": $deleting', async ({ query, deleting, says, other }) => {
    const documents = [...others, document(deleting, says), document(other, `${other.replaceAll('_', ' ')}.`)];
    expect((await namesOf(bm25Scorer(), documents, query))[0]).toBe(deleting);
  });

  it.each(['hapus berkas', 'xyzzy berkas'])(
    'does not fall behind where nothing is known of a word: "%s"',
    async (query) => {
      const documents = [document('delete_berkas', 'Berkas.'), document('open_berkas', 'Berkas.')];
      expect((await namesOf(bm25Scorer(), documents, query))[0]).toBe('delete_berkas');
    },
  );
});
