import type { outcomes as english } from "../en/outcomes.ts";
import type { Texts } from "../texts.ts";

/** French texts: how a withdrawal ended: the screen, and its name in the history. */
export const outcomes: Texts<typeof english> = {
  ended: {
    earlier: "Retrait précédent",
    nextCustomer: "Client suivant",
    retry: "Réessayer",
    handed_out: { title: "Ce retrait est terminé", next: "Il n’y a plus rien à faire." },
    not_handed_out: {
      title: "Noté comme non remis",
      next: "Il est noté que l’argent est dû au client. Fermez le tiroir.",
    },
    rejected: {
      title: "Vous avez refusé ce retrait",
      next: "Rien n’a été payé. Le client peut en demander un nouveau.",
    },
    rejected_before: {
      title: "Ce retrait a déjà été refusé",
      next: "Rien n’a été payé. Le client peut en demander un nouveau.",
    },
    given_up: {
      title: "Le terminal a clos ce retrait",
      next: "Sa confirmation n’est pas arrivée à temps. Rien n’a été payé. Le client peut en demander un nouveau.",
    },
    sca_timeout: {
      title: "Temps écoulé",
      next: "Pas approuvé à temps, rien n’a été payé. Le client peut demander un nouveau retrait dans l’application.",
    },
    sca_denied: {
      title: "Le client a refusé dans l’application",
      next: "Rien n’a été payé. Si c’était une erreur, le client demande un nouveau retrait.",
    },
    user_canceled: {
      title: "Le client a annulé ce retrait",
      next: "Rien n’a été payé. Le client peut en demander un nouveau dans l’application.",
    },
    canceled: {
      title: "Ce retrait a été annulé",
      next: "Rien n’a été payé. Le client peut en demander un nouveau dans l’application.",
    },
    order_expired: {
      title: "Ce code-barres a expiré",
      next: "Rien n’a été payé. Le client demande un nouveau retrait et montre le nouveau code-barres.",
    },
    declined: {
      title: "La banque a refusé ce retrait",
      next: "Rien n’a été payé. Le client trouve la raison dans son application.",
    },
    settle_declined: {
      title: "La banque n’a pas payé",
      next: "La banque a refusé le paiement à la dernière étape. Le client peut lui demander pourquoi.",
    },
    already_used: {
      title: "Ce code-barres a déjà servi",
      next: "Il a peut-être déjà été payé. Demandez au client un nouveau code-barres.",
    },
    handed_out_before: {
      title: "Ce paiement a déjà été remis",
      next: "Ne remettez rien. Un autre terminal ou programme l’a remis. Notez le code et prévenez le responsable.",
    },
    in_use_elsewhere: {
      title: "En cours sur un autre terminal",
      next: "N’en commencez pas un nouveau : le client pourrait payer deux fois. L’autre terminal le termine.",
    },
    unknown_barcode: {
      title: "Aucun retrait pour ce code-barres",
      next: "Il n’est pas pour ce magasin, ou il est ancien. Demandez le code-barres de ce magasin.",
    },
    no_network: {
      title: "Le service est injoignable",
      next: "Vérifiez le câble réseau ou le routeur, puis réessayez. Ce terminal n’a rien payé.",
    },
    service_down: {
      title: "Le service ne répond pas correctement",
      next: "Attendez une minute et réessayez. Sinon, appelez l’assistance. Ce terminal n’a rien payé.",
    },
    service_refused: {
      title: "Le service a refusé cette demande",
      next: "Servez le client suivant. Si cela se répète, appelez l’assistance.",
    },
    limit_reached: {
      title: "Ce terminal a atteint sa limite",
      next: "Rien n’a été payé. Un autre terminal peut payer, ou celui-ci plus tard : scannez de nouveau alors, ou prévenez le responsable.",
    },
    unclear: {
      title: "Cela a peut-être été payé",
      next: "Ne remettez pas d’espèces. Notez le code et prévenez le responsable.",
    },
  },
  outcomes: {
    handed_out: "Remis",
    not_handed_out: "Non remis",
    rejected: "Refusé",
    rejected_before: "Refusé auparavant",
    given_up: "Clos par le terminal",
    sca_timeout: "Temps écoulé",
    sca_denied: "Refusé par le client",
    user_canceled: "Annulé par le client",
    canceled: "Annulé",
    order_expired: "Expiré",
    declined: "Refusé par la banque",
    settle_declined: "Non payé par la banque",
    already_used: "Déjà utilisé",
    handed_out_before: "Déjà remis",
    in_use_elsewhere: "Sur un autre terminal",
    unknown_barcode: "Code-barres inconnu",
    no_network: "Pas de connexion",
    service_down: "Service en panne",
    service_refused: "Refusé par le service",
    limit_reached: "Limite du terminal atteinte",
    unclear: "Paiement incertain",
  },
};
