/** How work on a service of one's own ended, as the page's form reads it. */
import type { OwnServiceField, OwnServiceReply } from "../../../preload/contract.ts";
import { ServiceRefusal } from "../service-channel.ts";

/** It is done. */
export const done: OwnServiceReply = { kind: "done" };

/** It was not: these fields are wrong. @param output the service's own words. */
export const refused = (fields: readonly OwnServiceField[], output: string | null = null): OwnServiceReply => ({
  kind: "refused",
  fields,
  output,
});

/** @param names how the operator's commands call the form's fields. A refusal of the service ends as such fields; anything else is thrown on. */
export const asFields = async (
  names: Readonly<Record<string, OwnServiceField>>,
  work: () => Promise<void>,
): Promise<OwnServiceReply> => {
  try {
    await work();
    return done;
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    const fields = error.fields.flatMap((name) => names[name] ?? []);
    return refused(fields, error.message);
  }
};
