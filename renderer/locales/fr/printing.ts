import type { printing as english } from "../en/printing.ts";
import type { Texts } from "../texts.ts";

/** French texts: receipts and the printer. */
export const printing: Texts<typeof english> = {
  printing: {
    why: {
      unreachable: "l’imprimante ne répond pas",
      busy: "le tiroir a été ouvert entre-temps",
      no_paper: "l’imprimante n’a plus de papier",
      cover_open: "le capot de l’imprimante est ouvert",
      fault: "l’imprimante signale une erreur",
      offline: "l’imprimante n’est pas prête",
    },
    notPrinted: "Reçu non imprimé : {{why}}.",
    unclear: "Il n’est pas certain que le reçu ait été imprimé : {{why}}.",
    retried: "Le terminal réessaie.",
    retry: "Imprimer à nouveau",
    drop: "Laisser",
    waiting_one: "{{count}} reçu en attente",
    waiting_other: "{{count}} reçus en attente",
    paperLow: "Le papier des reçus touche à sa fin",
    customer: "Imprimer le reçu",
    shop: "Exemplaire du magasin",
  },
};
