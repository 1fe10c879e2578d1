import { definitionRules, descriptionRules } from './descriptions.ts';
import { genericRules } from './generic.ts';
import { hiddenCharactersRule } from './hidden-characters.ts';
import { instructsModel } from './instructs-model.ts';
import { nameRules, readingRules } from './names.ts';
import { ownWordsRules } from './own-words.ts';
import { steersOtherServer } from './steers-other-server.ts';

/** All rules by their names, in the order in which findings of one tool stand. */
export const rules: typeof readingRules &
  typeof descriptionRules &
  typeof ownWordsRules &
  typeof genericRules &
  typeof nameRules &
  typeof definitionRules &
  typeof instructsModel &
  typeof hiddenCharactersRule &
  typeof steersOtherServer = {
  ...{ ...readingRules, ...descriptionRules, ...ownWordsRules, ...genericRules, ...nameRules, ...definitionRules },
  ...{ ...instructsModel, ...hiddenCharactersRule, ...steersOtherServer },
};
