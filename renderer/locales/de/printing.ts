import type { printing as english } from "../en/printing.ts";
import type { Texts } from "../texts.ts";

/** German texts: receipts and the printer. */
export const printing: Texts<typeof english> = {
  printing: {
    why: {
      unreachable: "der Drucker antwortet nicht",
      busy: "die Lade wurde inzwischen geöffnet",
      no_paper: "der Drucker hat kein Papier",
      cover_open: "die Klappe des Druckers ist offen",
      fault: "der Drucker meldet einen Fehler",
      offline: "der Drucker ist nicht bereit",
    },
    notPrinted: "Beleg nicht gedruckt: {{why}}.",
    unclear: "Ob der Beleg gedruckt wurde, ist nicht sicher: {{why}}.",
    retried: "Das Terminal versucht es noch einmal.",
    retry: "Noch einmal drucken",
    drop: "Nicht drucken",
    waiting_one: "{{count}} Beleg wartet",
    waiting_other: "{{count}} Belege warten",
    paperLow: "Das Belegpapier geht zu Ende",
    customer: "Beleg drucken",
    shop: "Filialbeleg",
  },
};
