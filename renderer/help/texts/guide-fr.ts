import { scaTimeoutSeconds } from "../../../backend/contract/sca.ts";
import type { Guide } from "../guide.ts";

/** The guide in French. */
export const fr: Guide = {
  scan: {
    title: "Scanner le code-barres",
    steps: [
      "Le client demande un montant dans son application bancaire et montre un code-barres. Présentez-le à la caméra ou utilisez le lecteur.",
      "Illisible ? Faites augmenter la luminosité du téléphone, ou appuyez sur {{ready.type}} (F2) et tapez les 16 caractères sous le code.",
      "Le terminal affiche le montant. Rien n’est encore payé.",
    ],
  },
  amount: {
    title: "Vérifier le montant",
    steps: [
      "Dites le montant à voix haute. Est-ce le bon, et le client est-il là ? Appuyez alors sur {{review.confirm}}.",
      "Sinon, {{review.reject}}. Rien n’est payé et le client peut recommencer.",
      "S’il y a trop peu dans le tiroir, le terminal le dit ici : allez d’abord chercher de la monnaie.",
    ],
  },
  approval: {
    title: "Le client valide",
    steps: [
      `Le client a ${scaTimeoutSeconds} secondes pour valider le montant et le magasin dans son application. L’anneau montre le temps restant.`,
      "Attendez. Ne donnez rien et n’ouvrez aucun tiroir avant l’écran vert.",
      "Si cela dure après la validation, appuyez sur {{waiting.nextCustomer}} : le terminal continue seul et dit quand c’est payé.",
    ],
  },
  hand_out: {
    title: "Remettre les espèces",
    steps: [
      "Vert veut dire : la banque a payé. Appuyez sur {{payable.ok}}, comptez le montant devant le client et remettez-le.",
      "S’il a attendu un moment, le terminal demande d’abord au service : trois secondes au plus, puis le tiroir s’ouvre de lui-même.",
      "Appuyez ensuite sur {{opening.handedOut}}. C’est seulement cela qui dit au service que le client a l’argent.",
      "Pas assez dans le tiroir, ou le client est parti ? Appuyez sur {{payable.notHandedOut}} et dites pourquoi. Le client est remboursé.",
      "N’appuyez sur rien qui ne soit vrai : ce que vous dites ici est dans les livres.",
    ],
  },
  drawer: {
    title: "Le tiroir ne s’ouvre pas",
    steps: [
      "Appuyez sur {{opening.again}} ou ouvrez le tiroir avec la clé. Le paiement ne change pas.",
      "Ne donnez l’argent qu’une fois. Si vous ne savez pas si le client l’a, demandez-lui.",
      "Appuyez ensuite sur {{opening.handedOut}}.",
    ],
  },
  ends: {
    title: "Terminé sans espèces",
    steps: [
      "Orange veut dire : rien n’a été payé. Suivez l’écran ; en général le client recommence dans son application.",
      "Rouge veut dire : ne donnez rien. Il se peut que ce soit payé, déjà utilisé ou ouvert à une autre caisse. Appelez le responsable avant tout nouveau retrait.",
      "{{ended.nextCustomer}} permet de continuer.",
    ],
  },
  unclear: {
    title: "Paiement incertain",
    steps: [
      "Le service ne répond pas. Le terminal continue de demander seul ; rien ne se perd.",
      "Priez le client d’attendre et de ne pas commencer de second retrait. Ne donnez rien.",
      "{{unknown.nextCustomer}} permet de servir les autres. Il reste dans la liste en haut ; dès qu’on sait, un message avec montant et code dit comment il a fini. Lisez-le et appuyez sur {{ended.nextCustomer}}.",
    ],
  },
  offline: {
    title: "Pas de connexion",
    steps: [
      "Rien ne peut être recherché. Vérifiez le câble réseau et le routeur ; cela reprend dès que le terminal affiche {{header.online}}.",
      "Ce qui est en cours continue seul. Laissez le terminal allumé.",
    ],
  },
  sign_in: {
    title: "S’identifier et changer",
    steps: [
      "Choisissez votre nom et entrez votre PIN. Chaque retrait porte alors votre code.",
      "Vous quittez la caisse ? Appuyez sur votre nom en haut : la personne suivante s’identifie.",
      "PIN faux plusieurs fois : attendez le temps indiqué, ou demandez à un responsable.",
    ],
  },
  day: {
    title: "La journée du tiroir",
    steps: [
      "Appuyez en haut sur {{day.title}}, comptez billets et pièces avant le premier client, puis {{day.begin}}.",
      "Argent qui entre ou sort pour une autre raison : {{day.cashIn}} ou {{day.cashOut}}, avec la raison.",
      "À la fin, {{day.countAndClose}} et comptez sans rien consulter. Seul un responsable voit l’attendu.",
    ],
  },
  set_up: {
    title: "Installer et connecter",
    steps: [
      "Lancez l’installation pour cet ordinateur, puis le programme. Il guide à travers langue, connexion, appareils et un retrait d’exercice.",
      "Votre fournisseur donne un code (valable une fois, un jour) ou une clé d’accès. Scannez le code QR, ou tapez code et adresse.",
      "Si la connexion échoue, l’écran nomme la cause et reste : adresse, réseau, certificat, horloge ou code déjà utilisé.",
      "Chaque partie peut être refaite sous {{manager.settings}}, {{settings.terminal}}.",
    ],
  },
  devices: {
    title: "Caméra, lecteur, imprimante, tiroir",
    steps: [
      "{{manager.scanner}} montre tout ce qui est lu et apprend à connaître votre lecteur.",
      "Imprimante et tiroir sont sous {{manager.settings}}. Un tiroir relié à l’imprimante s’ouvre par elle ; sinon, avec la clé.",
      "Une imprimante éteinte ou vide ne retient jamais un retrait : elle imprime plus tard.",
      "L’écran du client s’active sous {{customerDisplay.title}}.",
    ],
  },
  people: {
    title: "Personnes et PIN",
    steps: [
      "Définissez d’abord le PIN du responsable : réglages, problèmes et appareils le demandent dès lors.",
      "Ajoutez des personnes sous {{people.tab}} et activez {{people.cashiersSignIn}} si chaque retrait doit en nommer une.",
      "Le PIN d’une seconde personne est demandé là où une seule pourrait prendre de l’argent : troisième ouverture du tiroir, et {{payable.notHandedOut}} après son ouverture.",
    ],
  },
  settings: {
    title: "Réglages",
    steps: [
      "Les changements sont gardés aussitôt. Un champ marqué n’est pas gardé tant qu’il est faux.",
      "{{settings.confirmHandOver}} : laissez-le activé. Sinon, le tiroir ouvert vaut remise.",
      "{{settings.scaTimeout}} doit rester en dessous de ce que le service permet.",
      "N’activez que les types de codes-barres de votre réseau.",
      "{{updates.title}} : une nouvelle version s’installe quand la journée est close ; {{updates.installNow}} le fait tout de suite, si rien n’est ouvert.",
    ],
  },
  end_of_day: {
    title: "Fin de journée",
    steps: [
      "{{day.title}}, {{day.countAndClose}} : comptez, retirez ce que le terminal propose. Un responsable voit l’écart et le justifie ; celui d’un comptage de caissier figure sous {{problems.tab}}.",
      "Les retraits encore ouverts sont nommés. Ils sont pris dans le tiroir du lendemain.",
      "Le rapport est imprimé et reste sous {{day.reports}}, aussi en fichier.",
    ],
  },
  history: {
    title: "Historique et reçus",
    steps: [
      "Chaque retrait confirmé, le plus récent d’abord. Limitez la liste par jour, résultat, caissier ou partie du code.",
      "{{history.story}} raconte un retrait pas à pas : ce terminal à côté du service. Un reçu peut y être réimprimé ; il est marqué comme copie.",
      "{{figures.title}} montre sommes, nombres et durées ; {{books.title}} compare avec le service et dit que faire de chaque différence. Les deux demandent un responsable.",
      "Ce qui est à éclaircir est marqué ; décidez sous {{problems.tab}}.",
    ],
  },
  problems: {
    title: "Éclaircir les problèmes",
    steps: [
      "Voici ce que les livres n’expliquent pas seuls. Renseignez-vous d’abord : la caisse, le tiroir, l’assistance.",
      "Pour un retrait ouvert, dites ce qui s’est passé : {{problems.handed_out}}, {{problems.not_handed_out}} ou {{problems.leave_to_books}}. Seulement quand le service ne peut plus être interrogé.",
      "L’argent du tiroir qui différait, ou un tiroir ouvert sans ce terminal : demandez à la personne nommée et vérifiez ce qui atteint l’imprimante.",
      "Écrivez une note et appuyez sur {{problems.acknowledge}}. Les deux restent avec votre code, et {{books.title}} le montre comme éclairci.",
    ],
  },
  journal: {
    title: "Le journal",
    steps: [
      "C’est le livre du terminal sur l’argent en cours, scellé entrée par entrée. Le contrôle montre s’il est intact.",
      "Les entrées abîmées sont mises de côté, jamais effacées : donnez leurs numéros à l’assistance.",
      "{{supportReport.save}} crée un fichier sans clés, PIN ni clients.",
    ],
  },
  practice: {
    title: "S’exercer sans argent",
    steps: [
      "{{practice.start}} sous {{manager.settings}} lance l’exercice : rayé en haut, avec un téléphone à côté du terminal.",
      "Une seule personne peut jouer caisse et client. Rien n’entre dans les livres.",
      "{{phone.real.start}} : un téléphone du réseau de cet ordinateur joue le client pendant une heure ; le responsable l’ouvre avec son code PIN.",
      "{{setup.again.live}} ramène à l’argent réel.",
    ],
  },
  trouble: {
    title: "Que faire quand …",
    steps: [
      "… le journal ne peut pas être écrit (bande rouge) : ne donnez rien. Libérez de la place sur le disque ; cela reprend seul.",
      "… la page a perdu son programme : relancez le programme. Tout ce qu’il sait est gardé.",
      "… l’horloge est fausse : réglez date, heure et fuseau de cet ordinateur.",
      "… un autre terminal utilise ce nom : chacun a besoin de sa clé ; demandez un code au fournisseur.",
      "… cet ordinateur est remplacé : terminez ce qui est ouvert, puis installez le nouveau avec un nouveau code. Ne copiez jamais le dossier.",
      "… rien n’y fait : appelez l’assistance. Numéro, terminal et version sont sous {{help.about}}.",
    ],
  },
};
