import { type LintFinding, lint } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { cleanTools, PLANTED } from './planted.ts';

const clean = cleanTools();
const planted = PLANTED.flatMap(({ tools }) => tools);
const names = new Set(planted.map(({ name }) => name));
const isBad = ({ severity }: LintFinding): boolean => severity !== 'info';
/** A tool whose name is refused has another in findings. */
const isPlanted = ({ toolName }: LintFinding): boolean => names.has(toolName) || toolName === 'knit_scarf_';

describe('planted faults', async () => {
  const findings = await lint([...clean, ...planted]);

  it.each(PLANTED)('finds $rule of $toolName, once, and nothing else of it', ({ rule, toolName, tools }) => {
    const about = new Set([...tools.map(({ name }) => name), ...(toolName === 'knit scarf!' ? ['knit_scarf_'] : [])]);
    const found = findings.filter((finding) => about.has(finding.toolName) && finding.rule !== 'crowded-namespace');
    expect(found.map((finding) => `${finding.rule} ${isBad(finding)}`)).toEqual([`${rule} true`]);
  });

  it('says little of the clear tools of mcp-dev: at most of one in twenty', () => {
    const said = new Set(
      findings.filter((finding) => isBad(finding) && !isPlanted(finding)).map((one) => one.toolName),
    );
    expect(clean.length).toBeGreaterThan(850);
    expect(said.size / clean.length).toBeLessThan(0.05);
  });

  it('says of the clear tools what it says without the planted ones', async () => {
    const alone = (await lint(clean)).filter(isBad);
    const beside = findings.filter((finding) => isBad(finding) && !isPlanted(finding));
    const keys = (list: readonly LintFinding[]) => list.map(({ rule, toolName }) => `${rule} ${toolName}`);
    expect(keys(beside)).toEqual(keys(alone));
  });

  it('has no text of a tool in a finding that is long, or not seen', () => {
    for (const { evidence, remedy } of findings) {
      expect(`${evidence} ${remedy}`.length).toBeLessThan(800);
      expect(`${evidence} ${remedy}`).not.toMatch(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/u);
    }
  });
});
