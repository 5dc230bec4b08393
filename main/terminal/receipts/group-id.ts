const groupLength = 4;
const wholeLength = 16;

/** An id of this network in groups of four, as the phone shows it; another one as it is. */
export const groupId = (id: string): string =>
  id.length === wholeLength ? (id.match(new RegExp(`.{${groupLength}}`, "g"))?.join(" ") ?? id) : id;
