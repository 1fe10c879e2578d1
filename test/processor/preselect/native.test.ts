import { describe, expect, it } from 'vitest';
import { isCallable } from '../../native/rig/goals.ts';
import { modeRig, WAYS } from '../../support/modes.ts';

describe.each(WAYS.filter(({ mode, execution }) => mode === 'native' && execution !== 'append'))(
  'with $way, a preselected tool',
  (way) => {
    it('is sent at once, behind the others, and stays for the thread only when it was called', async () => {
      const { ask, sent, refused } = modeRig(way, {
        options: { preselect: true, timeouts: { preselect: 10_000 } },
        script: ({ asked }) => (asked.startsWith('use') ? undefined : { type: 'say', text: 'done' }),
      });
      /** The requests of a turn. */
      const requests = async (text: string) => {
        const before = sent.length;
        await ask(text);
        return sent.slice(before);
      };
      const eager = ({ eager: names }: (typeof sent)[number]) => names.filter((name) => !name.includes('search'));
      const begun = ['own_tool', 'get_weather'];
      expect((await requests('Is there some current weather of a city?')).map(eager)).toEqual([begun]);
      expect((await requests('Thanks!')).map(eager)).toEqual([['own_tool']]);
      expect((await requests('use get_weather')).map(eager)).toEqual([begun, begun]);
      expect((await requests('Thanks!')).map((one) => isCallable(one, 'get_weather'))).toEqual([true]);
      expect(refused()).toEqual([]);
    });
  },
);
