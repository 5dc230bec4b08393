/** What an Epson printer's character tables hold above 0x7f, by the number of `ESC t`. */
const cp437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";
const cp850 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";
const cp852 =
  "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0";

const euroAtD5 = (table: string): string => `${table.slice(0, 0x55)}€${table.slice(0x56)}`;

const decoded = (encoding: string): string =>
  new TextDecoder(encoding).decode(Uint8Array.from({ length: 128 }, (_, index) => 0x80 + index));

const tables: Readonly<Record<number, string>> = {
  0: cp437,
  2: cp850,
  /** PC857 is PC850 but for its Turkish letters; of it only the euro sign is used here. */
  13: euroAtD5(cp850),
  16: decoded("windows-1252"),
  18: cp852,
  19: euroAtD5(cp850),
  40: decoded("iso-8859-15"),
  45: decoded("windows-1250"),
};

/** The character of a byte; an empty box where the table has none. */
export const characterOf = (byte: number, table: number): string =>
  byte < 0x80 ? String.fromCharCode(byte) : (tables[table]?.[byte - 0x80] ?? "□");
