/** The order of test files: the simulation's long ones and those that start programs first, as these wait for what those compute. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Long single files before the many short ones, so that none is left alone at the end. */
const order = ["simulation", "processes", "fast"];

/** Vitest's own order within each project. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ project }: TestSpecification): number => order.indexOf(project.name);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}
