import type { handOut as english } from "../en/hand-out.ts";
import type { Texts } from "../texts.ts";

/** French texts: handing out paid cash, and the drawer. */
export const handOut: Texts<typeof english> = {
  payable: {
    title: "Remettez ce montant",
    recoveredTitle: "Payé par la banque, pas encore remis",
    plainNext: "Ouvrez le tiroir. Le montant reste affiché pendant que vous comptez.",
    atOnceNext: "Ouvrez le tiroir et remettez les espèces. Dès l’ouverture, elles comptent comme remises.",
    byHandNext: "Ouvrez le tiroir avec la clé et comptez les espèces. Appuyez sur le bouton, puis remettez-les.",
    recoveredNext:
      "Ce client est-il là, toujours sans espèces ? Alors remettez-les. « Non remis » seulement si rien n’a quitté le tiroir.",
    begunTitle: "Le terminal s’est arrêté pendant la remise",
    begunNext: "Demandez d’abord au client. Ouvrez le tiroir seulement s’il n’a pas encore d’espèces.",
    begunByHandNext:
      "Demandez d’abord au client. S’il n’a rien, remettez les espèces. Appuyez sur le bouton quand il les a.",
    hasCash: "Le client a les espèces",
    openAndGive: "Ouvrir le tiroir",
    ok: "Ouvrir le tiroir",
    okByHand: "Remettre maintenant",
    notHandedOut: "Non remis",
  },
  notHandedOut: {
    title: "Pourquoi rien n’a été remis ?",
    next: "Le paiement est noté comme dû au client. Seulement si aucune espèce n’a quitté le tiroir.",
    till_short: "Pas assez d’espèces dans le tiroir",
    customer_left: "Le client est parti",
    drawer_failed: "Le tiroir ne s’ouvre pas",
    other: "Autre raison",
    back: "Retour",
  },
  opening: {
    checkingTitle: "Le service est interrogé",
    checkingNext: "Ne remettez encore rien. Le terminal demande si cela a déjà été remis et continue de lui-même.",
    openingTitle: "Le tiroir s’ouvre",
    openingNext: "Remettez exactement ce montant.",
    failedTitle: "Ouvrez le tiroir avec la clé",
    failedNext: "Le retrait est payé. Ouvrez le tiroir à la main et remettez les espèces, ou réessayez.",
    unknownTitle: "Le tiroir est-il ouvert ?",
    unknownNext: "Le tiroir ne dit pas s’il s’est ouvert. S’il est fermé, prenez la clé, puis remettez les espèces.",
    openingAgainNext: "Remettez exactement ce montant, et seulement si le client ne l’a pas encore.",
    failedAgainNext: "Si le client n’a pas encore d’espèces, ouvrez le tiroir à la main et remettez-les, ou réessayez.",
    unknownAgainNext:
      "Le tiroir ne dit pas s’il s’est ouvert. Remettez les espèces seulement si le client ne les a pas.",
    again: "Rouvrir",
    handedOut: "Espèces remises",
    notHandedOut: "Non remis",
  },
  counting: {
    title: "Comptez ce montant et remettez-le",
    againTitle: "Comptez seulement si le client ne l’a pas encore",
    next: "Appuyez sur « Espèces remises » quand le client les a. S’il en manque dans le tiroir, « Non remis ».",
    close: "Fermez le tiroir.",
    closed: "Le tiroir est fermé.",
  },
  pieces: { title: "Billets et pièces pour ce montant" },
  done: { title: "Remis", next: "Le client suivant peut venir.", nextCustomer: "Client suivant" },
};
