/** What is printed, line by line, independent of the paper's width and the printer's characters. */
export type PaperLine =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly style?: "title" | "large" | "bold";
      readonly align?: "center";
    }
  /** A label on the left, its value on the right; on two lines where they do not fit on one. */
  | { readonly kind: "pair"; readonly label: string; readonly value: string; readonly style?: "bold" }
  /** A text as Code 128, or as a QR code where that is too wide. */
  | { readonly kind: "code"; readonly value: string }
  | { readonly kind: "rule" }
  | { readonly kind: "space" }
  | { readonly kind: "cut" };
