/** Breaks texts to the width of the paper. */

/** At spaces where there are any; a word that is too long is broken. */
export const wrap = (text: string, columns: number): readonly string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    let rest = word;
    if (line !== "" && line.length + 1 + rest.length > columns) {
      lines.push(line);
      line = "";
    }
    while (rest.length > columns) {
      lines.push(rest.slice(0, columns));
      rest = rest.slice(columns);
    }
    line = line === "" ? rest : `${line} ${rest}`;
  }
  return [...lines, line];
};

/** Label left, value right; the value on lines of its own where both do not fit. */
export const pairLines = (label: string, value: string, columns: number): readonly string[] => {
  if (label.length + 1 + value.length <= columns) return [label + value.padStart(columns - label.length)];
  return [...wrap(label, columns), ...wrap(value, columns).map((line) => line.padStart(columns))];
};
