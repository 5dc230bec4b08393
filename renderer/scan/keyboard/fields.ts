/** What a field held before a scanner typed into it, and the way back. */
export interface FieldState {
  readonly field: HTMLElement;
  restore(): void;
}

const takesText = new Set(["text", "search", "url", "tel", "email", "password", "number", "date", "time", ""]);

/** The field that takes what is typed now, if any. */
export const focusedField = (): HTMLElement | null => {
  const element = document.activeElement;
  if (element instanceof HTMLTextAreaElement) return element;
  if (element instanceof HTMLInputElement) return takesText.has(element.type) ? element : null;
  return element instanceof HTMLElement && element.isContentEditable ? element : null;
};

/**
 * Whether a character typed now would pick from a list of choices. That takes effect at once, before anybody can know whether a
 * scanner goes on typing, so such lists are left to the arrow keys and the pointer.
 */
export const picksAChoice = (character: string): boolean =>
  document.activeElement instanceof HTMLSelectElement && character.length === 1 && character !== " ";

/** Sets a value in a way that React takes for typing; setting it straight would go unnoticed. */
const setValue = (field: HTMLInputElement | HTMLTextAreaElement, value: string): void => {
  if (field.value === value) return;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

const inputState = (field: HTMLInputElement | HTMLTextAreaElement): FieldState => {
  const { value, selectionStart, selectionEnd } = field;
  return {
    field,
    restore: () => {
      if (!field.isConnected) return;
      setValue(field, value);
      // Numbers and dates have no selection to set.
      if (selectionStart !== null && document.activeElement === field) {
        field.setSelectionRange(selectionStart, selectionEnd);
      }
    },
  };
};

const richState = (field: HTMLElement): FieldState => {
  const nodes = [...field.childNodes].map((node) => node.cloneNode(true));
  return {
    field,
    restore: () => {
      if (!field.isConnected) return;
      field.replaceChildren(...nodes);
      getSelection()?.selectAllChildren(field);
      getSelection()?.collapseToEnd();
      field.dispatchEvent(new Event("input", { bubbles: true }));
    },
  };
};

/** Remembers the focused field as it is now, before a key reaches it; null where nothing takes text. */
export const rememberField = (): FieldState | null => {
  const field = focusedField();
  if (field === null) return null;
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
    ? inputState(field)
    : richState(field);
};

/** Marks a field whose keys are nobody else's: a PIN typed as fast as a scanner types is no barcode. */
export const pinFieldMark = { "data-pin": true } as const;

/** Whether what is typed now is a PIN. */
export const isTypingPin = (): boolean =>
  document.activeElement instanceof HTMLInputElement && document.activeElement.dataset.pin !== undefined;
