import type { messages as english } from "../en/messages.ts";
import type { Texts } from "../texts.ts";

/** French texts: toasts, and why a command was refused. */
export const messages: Texts<typeof english> = {
  toasts: {
    not_an_id: "Ce n’était pas un code de retrait. Scannez le code-barres dans l’application du client.",
    duplicate_scan: "Ce code-barres vient d’être scanné.",
    busy_review: "Terminez d’abord ce retrait.",
    busy_money: "Terminez d’abord ce retrait.",
    busy_lookup: "Le dernier code-barres est encore recherché.",
    no_day: "Ouvrez d’abord la journée du tiroir.",
  },
  refusals: {
    stale: "L’écran a changé entre-temps. Regardez de nouveau.",
    busy: "Terminez d’abord ce retrait.",
    not_an_id: "Ce n’était pas un code de retrait.",
    duplicate_scan: "Ce code-barres vient d’être scanné.",
    not_enrolled: "Ce terminal n’est pas encore configuré.",
    invalid: "Le terminal ne peut pas utiliser cela. Vérifiez la saisie.",
    denied: "Le service n’a pas accepté ces données. Vérifiez-les.",
    unreachable: "Le service ne répond pas. Vérifiez son adresse et le réseau, puis réessayez.",
    unsafe_service:
      "Aucune banque n’est derrière ce service, ou son adresse n’est pas chiffrée. Demandez la bonne adresse à votre fournisseur ; pour vous entraîner, passez à la formation.",
    failed: "Cela n’a pas marché. Réessayez.",
    undecided: "Des retraits sont ouverts. Décidez chacun sous Responsable, Problèmes ; puis reconnectez.",
    locked: "Personne n’est connecté ici. Saisissez d’abord votre code PIN.",
    manager_needed: "Seul le responsable peut le faire. Saisissez son code PIN.",
    no_manager: "Aucun responsable n’a encore de code PIN. Définissez-en un d’abord.",
    approval_needed: "Une deuxième personne doit le confirmer avec son code PIN.",
    people_lost:
      "La liste des personnes est perdue ici. Appuyez sur Responsable et saisissez un code de votre prestataire.",
    wrong_pin: "Ce code PIN n’est pas le bon.",
    wait: "Trop d’essais erronés. Attendez la fin du délai.",
    weak_pin: "Ce code PIN est trop court ou trop facile à deviner. Choisissez-en un autre.",
    drawer_short:
      "Le tiroir contient trop peu pour ce montant. Refusez ; après une entrée d’argent, le client peut redemander.",
    no_screen: "Cet ordinateur n’a pas d’autre écran. Branchez-en un.",
    not_in_browser: "L’argent réel demande le programme installé. Adressez-vous à qui a configuré ce terminal.",
    no_printer: "Aucune imprimante de reçus dans les réglages.",
    no_private_network:
      "Cet ordinateur n’est dans aucun réseau privé. Connectez-le au réseau du magasin, puis réessayez.",
    no_day: "Ouvrez d’abord la journée : comptez ce qu’il y a dans le tiroir.",
    count_empty: "Rien n’a été compté. Comptez le tiroir, ou indiquez qu’il est vide.",
    reason_needed: "Le comptage diffère. Notez pourquoi.",
  },
};
