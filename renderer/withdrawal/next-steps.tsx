/** What follows the step in front, for screens with the room to say it. */
import { useTranslation } from "react-i18next";
import classes from "./next-steps.module.css";

const steps = ["approve", "count", "handOver"] as const;

/** The steps after this one. @param from the first of them that is still to come. */
export const NextSteps = ({ from }: { readonly from: (typeof steps)[number] }) => {
  const { t } = useTranslation();
  return (
    <section className={classes.steps} data-next-steps>
      <p>{t("steps.title")}</p>
      <ol>
        {steps.slice(steps.indexOf(from)).map((step) => (
          <li key={step}>{t(`steps.${step}`)}</li>
        ))}
      </ol>
    </section>
  );
};
