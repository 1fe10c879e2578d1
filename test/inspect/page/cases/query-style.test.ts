import { describe, expect, it } from 'vitest';
import { styleOf } from '../../../../src/inspect/page/cases/query-style.ts';

describe('styleOf', () => {
  it.each([
    ['github create issue', 'keywords'],
    ['k8s node drain', 'keywords'],
    ['', 'keywords'],
    ['天气 城市', 'keywords'],
    ['can bus', 'keywords'],
    ['上海天气怎么样？', 'question'],
    ['why is this query slow', 'question'],
    ['Which issues are open?', 'question'],
    ['It rained. Will it stop? I hope so.', 'question'],
    ['open https://example.com/?id=1', 'keywords'],
    ['list the open issues of a repository', 'command'],
    ['Please send an email to Ann', 'command'],
    ['create an issue.', 'command'],
    ['I want to know who is on call', 'sentence'],
    ['the customer wants another plan', 'sentence'],
    ['Normalize the data in a file', 'sentence'],
  ])('reads "%s" as %s', (query, style) => {
    expect(styleOf(query)).toBe(style);
  });
});
