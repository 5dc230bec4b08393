/** French texts: updates of the program. */
const refused =
  "La réponse du serveur de mises à jour n’est pas authentique et a été refusée. Si cela dure, enregistrez un rapport pour l’assistance sous « Journal ».";

/** By key, as English has them. */
export const updates = {
  updates: {
    title: "Mises à jour",
    on: "Chercher de nouvelles versions",
    onHint: "Elles arrivent en arrière-plan. Désactivé, rien n’est demandé et rien n’est installé.",
    channel: "Versions",
    channels: { latest: "Pour tous", beta: "Aussi celles encore à l’essai" },
    time: "Installer automatiquement",
    anyTime: "Quand la journée est close",
    between: "Seulement entre deux heures",
    from: "De",
    to: "À",
    noDays:
      "Ce terminal ne compte pas de journées, donc personne ne dit quand le magasin est fermé : choisissez deux heures, ou un responsable installe.",
    admin: "Cet ordinateur demande le mot de passe d’un administrateur, donc un responsable installe chaque version.",
    newest: "C’est la version la plus récente.",
    never: "Aucune nouvelle version n’a encore été cherchée.",
    off: "Les mises à jour sont désactivées.",
    checking: "Recherche d’une nouvelle version",
    downloading: "La version {{version}} arrive : {{percent}} %",
    installing: "La version {{version}} s’installe. Le terminal redémarre tout seul.",
    ready: "La version {{version}} est prête.",
    failedBefore: "Son installation a déjà échoué une fois.",
    waits: {
      withdrawal: "Elle s’installe quand aucun retrait n’est ouvert.",
      report: "Elle s’installe quand le service a reçu tous les rapports.",
      printing: "Elle s’installe quand tous les reçus sont imprimés.",
      day: "Elle s’installe quand la journée est close.",
      window: "Elle s’installe entre {{from}} et {{to}}.",
      quiet: "Elle s’installe quand personne n’utilise le terminal pendant cinq minutes.",
      manager: "Un responsable l’installe.",
    },
    troubles: {
      unreachable: "Le serveur de mises à jour ne répond pas. Il sera interrogé plus tard.",
      unsigned: refused,
      wrong_signature: refused,
      malformed: refused,
      other_feed: refused,
      replayed: refused,
      expired:
        "Le serveur de mises à jour n’a rien dit de nouveau depuis trois mois. Vérifiez la date et l’heure ; si elles sont justes, dites-le à l’assistance.",
      download: "La nouvelle version n’est pas arrivée entière. Elle sera demandée plus tard.",
      no_disk_space:
        "Le disque de cet ordinateur n’a pas de place pour la nouvelle version. Demandez à l’assistance de faire de la place.",
    },
    checkNow: "Chercher maintenant",
    installNow: "Installer maintenant",
    away: "Le terminal est absent environ une minute.",
    busy: "Pas maintenant : un retrait, un rapport ou un reçu est ouvert. Réessayez ensuite.",
    failed: "Cela n’a pas marché. Cherchez de nouveau la version.",
  },
};
