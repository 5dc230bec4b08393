import type { practice as english } from "../en/practice.ts";
import type { Texts } from "../texts.ts";

/** German texts: the practice withdrawal and the customer’s phone beside it. */
export const practice: Texts<typeof english> = {
  practice: {
    title: "Eine Auszahlung üben",
    next: "Spielen Sie einmal Kasse und Kunde, bevor der erste kommt.",
    start: "Ohne Geld üben",
    finish: "Einrichtung beenden",
  },
  phone: {
    title: "Handy des Kunden",
    close: "Handy schließen",
    open: "Kunden spielen",
    openHint: "Das Handy des Kunden steht neben dem Terminal.",
    tourStart: "Rundgang beginnen",
    tourHint: "Sechs Schritte, ohne echtes Geld.",
    step: "{{number}} von {{total}}",
    tour: {
      step0: "Diese endete ohne Geld. Fordern Sie eine neue an.",
      step1: "Am Handy: Betrag wählen.",
      step2: "Am Handy: Code dem Terminal zeigen.",
      step3: "Am Terminal: Betrag vergleichen und bestätigen.",
      step4: "Am Handy: freigeben.",
      step5: "Am Terminal: Lade öffnen, zählen, aushändigen.",
      step6:
        "Fertig: Der Kunde hat das Geld, und die Bücher stimmen. Zurück zu echtem Geld: Filialleitung, Einstellungen.",
    },
    ask: "Wie viel Bargeld?",
    show: "Code zeigen",
    approve: "Freigeben",
    deny: "Ablehnen",
    paying: "Freigegeben. Die Bank bezahlt.",
    paid: "Bezahlt. Warten Sie auf Ihr Geld.",
    again: "Neue Auszahlung",
    real: {
      start: "Ein echtes Handy benutzen",
      title: "Mit der Kamera des Handys scannen",
      next: "Das Handy muss im Netz dieses Computers sein. Öffnet sich nichts, sperrt es vielleicht die Firewall dieses Computers.",
      until: "Offen bis {{time}} Uhr",
      other: "Anderes Netz: {{card}}, {{address}}",
      end: "Keine Handys mehr zulassen",
    },
  },
};
