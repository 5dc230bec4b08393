import { sectionAnchor } from "./reference/interface-text.ts";

/** Stands in the document's texts for the address of the service, which is put in when it is asked for. */
export const publicUrlPlace = "{public_url}";

/** How the document cites the interface specification: with a link to the section in this service's own `/docs`. */
export const sectionLine = (section: string): string =>
  `*Interface specification, [section ${section}](${publicUrlPlace}/docs#${sectionAnchor(section)}).*`;
