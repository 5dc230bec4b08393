import type { program as english } from "../en/program.ts";
import type { Texts } from "../texts.ts";

/** French texts: the program itself: it starts, has lost its page, or cannot open its journal. */
export const program: Texts<typeof english> = {
  starting: { title: "Le terminal démarre", next: "Il vérifie ce qui était ouvert." },
  disconnected: {
    title: "Connexion au programme du terminal perdue",
    next: "Cette page se reconnecte seule. Sinon, redémarrez le programme du terminal et, dans un navigateur, ouvrez la nouvelle adresse qu’il affiche.",
  },
  broken: {
    title: "Cette page a échoué",
    next: "Rien n’est perdu : le programme du terminal garde chaque retrait. Rechargez la page.",
    reload: "Recharger",
  },
  blocked: {
    journalTitle: "Le journal ne peut être ouvert",
    journalNext:
      "Ne remettez pas d’espèces. Fermez les autres programmes qui utilisent le dossier du terminal et vérifiez si le disque est plein. Le terminal réessaie seul.",
    newerTitle: "Ce journal vient d’un programme plus récent",
    newerNext: "Ne remettez pas d’espèces. Redémarrez la version plus récente. Rien n’a été modifié.",
    otherTitle: "À qui est ce journal ?",
    otherNext:
      "Le journal de cet ordinateur nomme un autre magasin ou terminal. Pour le responsable : le mettre de côté et en commencer un nouveau, ou continuer avec lui. Rien n’est envoyé avant cette décision.",
    setAside: "Commencer un nouveau journal",
    adopt: "Il est à ce magasin",
    open: "Retraits ouverts",
  },
};
