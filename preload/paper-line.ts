/** What stands on paper, line by line, before anybody knows how wide it is or which characters the printer has. */
export type PaperLine =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly style?: "title" | "large" | "bold";
      readonly align?: "center";
    }
  /** A name on the left, its value on the right; on two lines where they do not fit on one. */
  | { readonly kind: "pair"; readonly label: string; readonly value: string; readonly style?: "bold" }
  /** A text as Code 128, or as a QR code where that is too wide. */
  | { readonly kind: "code"; readonly value: string }
  | { readonly kind: "rule" }
  | { readonly kind: "space" }
  | { readonly kind: "cut" };
