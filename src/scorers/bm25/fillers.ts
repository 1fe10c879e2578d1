/** Fillers: in a query of more than two words they are mostly noise, but "find" may be what is asked for. */
export const FILLERS: ReadonlySet<string> = new Set(
  `need needs needed want wants wanted like help helps tell give gives know hi hello hey thanks thank must may might just
  also really very much many any about after again am because before being between both but did does doing done each few
  further here he her him his itself me more most nor off once only other out over own same she such too under until
  while who whom why find finding looking look make sure try trying going go something someone anything everything good
  best great possible kindly able provide provides via per new`.split(/\s+/),
);
