/** Code 128's symbols (ISO/IEC 15417): the widths of bars and spaces of each value, and the text of a sequence of values. */

/** Widths in modules, bar first, of the values 0 to 105; 103 to 105 start code sets A, B and C. */
export const symbolWidths: readonly string[] = (
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 " +
  "123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 " +
  "232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 " +
  "313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 " +
  "111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 " +
  "111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 " +
  "114311 411113 411311 113141 114131 311141 411131 211412 211214 211232"
).split(" ");
/** Widths of the stop symbol. */
export const stopWidths = "2331112";

/** Modules of each symbol; the stop has two more. */
export const symbolModules = 11;
/** Modules of the stop symbol: its last bar is two wider. */
export const stopModules = 13;
/** Values that a symbol can have, the starts included. */
export const valueCount = 106;

/** 1 for each dark module of the given widths. */
export const modulesOf = (widths: string): readonly (0 | 1)[] =>
  [...widths].flatMap((width, at) => Array<0 | 1>(Number(width)).fill(at % 2 === 0 ? 1 : 0));

const [startB, startC] = [104, 105];
const [toC, toB] = [99, 100];
const checkModulus = 103;
/** Values below this are printable characters of set B; the rest are controls and switches. */
const printableMax = 94;
const firstPrintable = 32;

const isCheckRight = (values: readonly number[]): boolean => {
  const sum = values.slice(0, -1).reduce((total, value, at) => total + value * Math.max(1, at), 0);
  return sum % checkModulus === values.at(-1);
};

/**
 * The text of a start symbol, its data and its check symbol, without the stop; null where the check is wrong, or where it holds
 * anything but printable characters of sets B and C, which ids consist of.
 */
export const textOf = (values: readonly number[]): string | null => {
  const [start] = values;
  if ((start !== startB && start !== startC) || !isCheckRight(values)) return null;
  let isPairs = start === startC;
  let text = "";
  for (const value of values.slice(1, -1)) {
    if (isPairs ? value < 100 : value <= printableMax) {
      text += isPairs ? String(value).padStart(2, "0") : String.fromCharCode(firstPrintable + value);
    } else if (isPairs && value === toB) isPairs = false;
    else if (!isPairs && value === toC) isPairs = true;
    else return null;
  }
  return text;
};
