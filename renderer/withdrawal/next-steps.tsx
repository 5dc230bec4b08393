/** The list of the steps that follow, shown where the screen has room. */
import { useTranslation } from "react-i18next";
import classes from "./withdrawal.module.css";

const steps = ["approve", "count", "handOver"] as const;

/** The steps to come. @param from the first of them. */
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
