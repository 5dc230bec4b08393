/** The order of test files: those that start programs first. They wait most of their time, which the others then fill. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Vitest's own order within each of the two groups. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ project }: TestSpecification): boolean => project.name === "processes";
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
