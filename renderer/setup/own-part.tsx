import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { OwnServiceField } from "../../preload/contract.ts";
import { changeCommand, missingIn, type OwnForm, type OwnPart, partFields } from "./form.ts";
import { OwnFields, OwnTrouble } from "./own-fields.tsx";
import { useOwnService } from "./use-own-service.ts";

interface OwnPartProps {
  readonly part: OwnPart;
  readonly known: OwnForm;
  readonly fixed?: readonly OwnServiceField[];
  /** Called when the change was made. */
  readonly changed: () => void;
}

/** One part of the service's settings, with a button that saves it. */
export const OwnPartForm = ({ part, known, fixed = [], changed }: OwnPartProps) => {
  const { t } = useTranslation();
  const [form, setForm] = useState(known);
  const { answer, send, mark, clearResult } = useOwnService();
  const keep = (): void => {
    const missing = missingIn(form, part);
    if (missing.length > 0) mark(missing);
    else
      void send(changeCommand(form, part)).then((isDone) => {
        if (!isDone) return;
        // The key is saved: it must not stay on the page.
        setForm((now) => ({ ...now, bankKey: "" }));
        changed();
      });
  };
  return (
    <>
      <OwnFields
        fields={partFields[part]}
        form={form}
        set={(field, value) => {
          setForm({ ...form, [field]: value });
          clearResult();
        }}
        answer={answer}
        fixed={fixed}
      />
      <OwnTrouble answer={answer} />
      <Button size="md" variant="default" loading={answer.kind === "working"} onClick={keep}>
        {part === "network" ? t("ownService.open") : t("ownService.keep")}
      </Button>
    </>
  );
};
