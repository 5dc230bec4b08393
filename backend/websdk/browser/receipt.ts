/**
 * Runs in the browser. Hands the receipt to the phone's own sharing, or saves it as a file where there is none.
 * Uses nothing outside itself: its own text is served as the script (see theme/assets.ts).
 */
export function receipt(): void {
  const save = (text: string, file: string): void => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-receipt]");
    if (button === null) return;
    const { receipt: words = "", at = "", file = "receipt.txt", title = "" } = button.dataset;
    const time = new Date(at).toLocaleString(document.documentElement.lang, { timeZoneName: "short" });
    const text = words.replace("{time}", time);
    if (typeof navigator.share !== "function") return save(text, file);
    navigator.share({ title, text }).catch((error: unknown) => {
      // Closed by the customer is no reason to do something else.
      if (!(error instanceof DOMException && error.name === "AbortError")) save(text, file);
    });
  });
}
