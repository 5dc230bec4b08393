import { useOwnSetUp } from "./own-set-up.tsx";
import { StepPage } from "./step-page.tsx";

interface OwnStepProps {
  readonly back: () => void;
  readonly isFirst: boolean;
}

/** The set-up step of an own service. */
export const OwnStep = ({ back, isFirst }: OwnStepProps) => {
  const { title, next, actions, body } = useOwnSetUp(back, isFirst);
  return (
    <StepPage step="connect" title={title} next={next} actions={actions}>
      {body}
    </StepPage>
  );
};
