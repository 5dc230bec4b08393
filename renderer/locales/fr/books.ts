import type { books as english } from "../en/books.ts";
import type { Texts } from "../texts.ts";

/** French texts: the figures and the books. */
export const books: Texts<typeof english> = {
  figures: {
    title: "Chiffres",
    day: "Jour",
    week: "Semaine",
    month: "Mois",
    year: "Année",
    period: "Période",
    date: "Date",
    earlier: "Avant",
    later: "Après",
    today: "Aujourd’hui",
    none: "Aucun retrait pendant cette période.",
    sum: "Argent remis",
    count: "Retraits remis",
    average: "Moyenne",
    all: "Tous les retraits",
    byHour: "Argent par heure",
    countByHour: "Retraits par heure",
    byDay: "Argent par jour",
    countByDay: "Retraits par jour",
    byMonth: "Argent par mois",
    countByMonth: "Retraits par mois",
    ends: "Comment ils ont fini",
    end: "Fin",
    number: "Nombre",
    scanToCash: "De la lecture à l’argent",
    approval: "De la confirmation à l’accord",
    half: "La moitié en {{time}}",
    most: "neuf sur dix en {{time}}",
    notMeasured: "Pas mesuré pendant cette période.",
    hour: "Heure",
    below: "moins de {{time}}",
    longer: "plus long",
    scope: "Un retrait compte à l’heure où il a été confirmé ou refusé, dans le fuseau {{zone}}.",
  },
  books: {
    title: "Comptes",
    offline:
      "Le service est injoignable : seule la moitié de ce terminal est affichée. Rouvrez cette page plus tard pour comparer.",
    not_offered: "Ce service ne donne pas de rapport : seule la moitié de ce terminal est affichée.",
    agree_one: "{{count}} retrait concorde.",
    agree_other: "{{count}} retraits concordent.",
    clean: "Rien à voir : les deux côtés concordent.",
    cleanHere: "Rien à voir à ce terminal.",
    allCleared: "Plus rien à voir : un responsable a éclairci le reste.",
    cleared: "Éclairci par un responsable",
    noted: "Ce terminal a noté : {{what}}.",
    handedOut: "Argent remis",
    here: "Ce terminal",
    there: "Service",
    difference: "Différence",
    what: "Ce que c’est et que faire",
    unknownHere: "inconnu ici",
    unknownThere: "inconnu là-bas",
    leftOut_one: "{{count}} autre n’est pas affiché. Choisissez une période plus courte.",
    leftOut_other: "{{count}} autres ne sont pas affichés. Choisissez une période plus courte.",
    elsewhere_one: "Les autres terminaux du magasin : {{count}} retrait, dont {{open}} à voir là-bas.",
    elsewhere_other: "Les autres terminaux du magasin : {{count}} retraits, dont {{open}} à voir là-bas.",
    findings: {
      matched: "remis",
      not_linked: "payé, rien sur l’argent",
      undelivered: "payé, non remis",
      settle_unknown: "la banque n’a pas encore répondu",
      restored: "le service a repris une copie",
      disputed: "contesté par la banque",
      closed: "terminé sans argent",
    },
    explain: {
      amount_differs: "Les montants diffèrent. Ne remettez plus rien ; envoyez les deux codes à l’assistance.",
      other_terminal:
        "L’argent a été remis ici, et le service l’a comme retrait d’un autre terminal : il a peut-être été remis deux fois. Comptez les deux tiroirs et appelez maintenant l’assistance avec les deux codes.",
      paid_without_money:
        "L’argent a été remis ici et le service n’a pas de paiement. Appelez maintenant l’assistance avec les deux codes.",
      forgotten_there:
        "Ce terminal l’avait annoncé ; le service a repris une copie et l’a oublié. Il est annoncé de nouveau de lui-même : regardez dans une heure. Si cela reste ainsi, envoyez les deux codes à l’assistance.",
      link_on_its_way:
        "L’avis de remise est en route ; le terminal le répète de lui-même. Regardez de nouveau dans une heure.",
      link_refused:
        "Le service a refusé l’avis de remise. Envoyez les deux codes à l’assistance pour une écriture à la main.",
      cash_not_said:
        "C’est payé, et personne n’a dit si l’argent a été donné. Comptez le tiroir, puis décidez sous Problèmes.",
      linked_not_here:
        "Le service l’a comme remis, ce terminal non. Comptez le tiroir et envoyez les deux codes à l’assistance.",
      undelivered: "C’est payé et rien n’a été remis : la banque rembourse le client. Rien à faire ici.",
      undelivered_on_its_way:
        "L’avis que rien n’a été remis est en route ; le terminal le répète de lui-même. Regardez de nouveau dans une heure.",
      undelivered_refused:
        "Le service a refusé l’avis que rien n’a été remis. Envoyez les deux codes à l’assistance pour que le client soit remboursé.",
      undelivered_not_here:
        "On a dit au service que rien n’a été remis, et ici cela l’a été. Appelez l’assistance avant le remboursement.",
      settle_unknown:
        "La banque n’a pas encore répondu. Ne remettez pas d’argent ; le service redemande. Regardez plus tard.",
      restored:
        "Le service a repris une copie, et ce que disent les terminaux et la banque ne concorde pas encore. Ne remettez plus rien pour ce retrait. S’il est encore ici demain, appelez l’assistance avec les deux codes.",
      disputed: "La banque contredit sa première réponse. L’opérateur l’éclaircit avec elle ; gardez les deux codes.",
      unclear_here: "Ce terminal ne connaît pas encore sa fin. Si cela dure, décidez sous Problèmes.",
      noted_here:
        "Les deux côtés concordent sur l’argent. Ce terminal a eu un problème : éclaircissez-le sous Problèmes.",
      known_here_only:
        "Le rapport du service ne l’a pas. Vérifiez la date, puis envoyez les deux codes à l’assistance.",
      known_there_only:
        "Le journal de ce terminal ne l’a pas. Vérifiez le journal, et si un autre terminal porte le même nom.",
    },
  },
};
