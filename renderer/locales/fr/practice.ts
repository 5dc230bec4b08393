import type { practice as english } from "../en/practice.ts";
import type { Texts } from "../texts.ts";

/** French texts: the practice withdrawal and the customer’s phone beside it. */
export const practice: Texts<typeof english> = {
  practice: {
    title: "Exercez-vous à un retrait",
    next: "Jouez une fois caisse et client avant le premier client.",
    start: "S’exercer sans argent",
    finish: "Terminer",
  },
  phone: {
    title: "Téléphone du client",
    close: "Fermer le téléphone",
    open: "Jouer le client",
    openHint: "Le téléphone du client est à côté du terminal.",
    tourStart: "Commencer la visite",
    tourHint: "Six étapes, sans argent réel.",
    step: "{{number}} sur {{total}}",
    tour: {
      step0: "Celui-ci s’est terminé sans argent. Demandez-en un autre.",
      step1: "Sur le téléphone : choisissez le montant.",
      step2: "Sur le téléphone : montrez le code au terminal.",
      step3: "Au terminal : comparez le montant et confirmez.",
      step4: "Sur le téléphone : approuvez.",
      step5: "Au terminal : ouvrez le tiroir, comptez, remettez.",
      step6:
        "Terminé : le client a l’argent et les comptes sont justes. Retour à l’argent réel : Responsable, Réglages.",
    },
    ask: "Combien d’espèces ?",
    show: "Montrer le code",
    approve: "Approuver",
    deny: "Refuser",
    paying: "Approuvé. La banque paie.",
    paid: "Payé. Attendez votre argent.",
    again: "Nouveau retrait",
    real: {
      start: "Utiliser un vrai téléphone",
      title: "Scannez ceci avec le téléphone",
      next: "Le téléphone doit être dans le réseau de cet ordinateur. Si rien ne s’ouvre, son pare-feu bloque peut-être.",
      until: "Ouvert jusqu’à {{time}}",
      other: "Autre réseau : {{card}}, {{address}}",
      end: "Ne plus accepter de téléphone",
    },
  },
};
