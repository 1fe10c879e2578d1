/** The verbs that tools are named by: nearly the same, as authors choose among them freely. Groups end with a semicolon; an underscore joins the parts of a word. */
export const actions = `
  create add make new insert generate; create build construct;
  delete remove erase drop destroy clear purge trash discard; get fetch read retrieve view show obtain;
  list enumerate browse; list show get; update edit modify change patch alter adjust;
  search find query lookup locate discover; send post deliver submit dispatch;
  run execute invoke launch trigger perform; start begin launch initiate boot;
  stop cancel end terminate halt kill abort; show display view present; set update assign configure;
  search seek explore; move transfer relocate migrate; copy duplicate clone replicate fork; upload import put;
  download export save; write compose draft;
`;
