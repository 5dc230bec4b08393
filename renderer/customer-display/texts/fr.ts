import type { CustomerTexts } from "./customer-texts.ts";

/** The display's words in French. */
export const fr: CustomerTexts = {
  moments: {
    closed: { title: "Pas de retrait ici pour l’instant", next: "Renseignez-vous à la caisse." },
    offline: {
      title: "Pas de retrait pour l’instant",
      next: "Il n’y a pas de connexion. Renseignez-vous à la caisse.",
    },
    welcome: {
      title: "Retirez des espèces ici",
      next: "Demandez le montant dans votre application bancaire et montrez le code-barres.",
    },
    looking_up: { title: "Un instant, s’il vous plaît", next: "Votre code-barres est en cours de recherche." },
    review: { title: "Est-ce bien votre montant ?", next: "Sinon, dites-le à la caisse." },
    confirming: { title: "Un instant, s’il vous plaît", next: "Préparez votre application bancaire." },
    approve: { title: "Validez dans votre application", next: "Vérifiez-y le montant et le magasin, puis validez." },
    paying: { title: "Validé", next: "Votre banque paie. Attendez vos espèces, s’il vous plaît." },
    closing: { title: "Un instant, s’il vous plaît", next: "Ce retrait est en cours d’annulation." },
    cash: { title: "Vos espèces arrivent", next: "Comptez-les avec la personne à la caisse." },
    cashier_asks: { title: "Un instant, s’il vous plaît", next: "On va s’adresser à vous à la caisse." },
    unclear: {
      title: "Veuillez patienter",
      next: "Nous vérifions si le paiement a eu lieu. Ne commencez pas de nouveau retrait.",
    },
    done: { title: "Espèces remises", next: "Merci et au revoir." },
  },
  ended: {
    handed_out: { title: "Espèces remises", next: "Merci et au revoir." },
    not_handed_out: { title: "Aucune espèce remise", next: "Adressez-vous à la caisse." },
    rejected: { title: "Retrait annulé", next: "Pas d’espèces pour ce code-barres." },
    rejected_before: {
      title: "Ce retrait a été annulé",
      next: "Commencez-en un nouveau dans votre application bancaire.",
    },
    given_up: { title: "Retrait annulé", next: "La connexion a échoué. Adressez-vous à la caisse." },
    sca_timeout: {
      title: "Le temps est écoulé",
      next: "Pas validé à temps. Commencez un nouveau retrait dans votre application.",
    },
    sca_denied: {
      title: "Refusé dans votre application",
      next: "Commencez-y un nouveau retrait si vous voulez des espèces.",
    },
    user_canceled: {
      title: "Annulé par vous",
      next: "Commencez un nouveau retrait dans votre application si vous le souhaitez.",
    },
    canceled: {
      title: "Ce retrait a été annulé",
      next: "Commencez un nouveau retrait dans votre application si vous le souhaitez.",
    },
    order_expired: {
      title: "Ce code-barres est trop ancien",
      next: "Commencez un nouveau retrait dans votre application.",
    },
    declined: { title: "Refusé par votre banque", next: "Renseignez-vous auprès de votre banque." },
    settle_declined: {
      title: "Votre banque n’a pas payé",
      next: "Renseignez-vous auprès d’elle. Rien ne peut être remis.",
    },
    already_used: { title: "Ce code-barres a déjà servi", next: "Adressez-vous à la caisse." },
    handed_out_before: { title: "Ce code-barres a déjà servi", next: "Adressez-vous à la caisse." },
    in_use_elsewhere: {
      title: "En cours à une autre caisse",
      next: "Ne commencez pas de nouveau retrait. Adressez-vous à la caisse.",
    },
    unknown_barcode: { title: "Ce code-barres est inconnu", next: "Montrez celui de votre application bancaire." },
    no_network: { title: "Recherche impossible pour l’instant", next: "Adressez-vous à la caisse." },
    service_down: { title: "Recherche impossible pour l’instant", next: "Adressez-vous à la caisse." },
    service_refused: { title: "Ce n’est pas possible ici", next: "Adressez-vous à la caisse." },
    limit_reached: { title: "Ce n’est pas possible ici maintenant", next: "Adressez-vous à la caisse." },
    unclear: {
      title: "On ne sait pas si le paiement a eu lieu",
      next: "Ne commencez pas de nouveau retrait. Adressez-vous à la caisse.",
    },
  },
  timeOver: {
    title: "Le temps est écoulé",
    next: "Nous vérifions comment cela s’est terminé. Patientez, s’il vous plaît.",
  },
  disconnected: {
    title: "Un instant, s’il vous plaît",
    next: "Cet écran n’a pas de connexion. Renseignez-vous à la caisse.",
  },
  training: "Exercice : pas d’argent réel",
  noConnection: "Pas de connexion pour l’instant. L’affichage peut être dépassé.",
};
