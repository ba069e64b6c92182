import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { modelFacts, modelFields, withHub } from "./model-facts.ts";
import { openPlatform, readHub } from "./open-platform.ts";

const MAX_MODELS = 6;

/** `tollgate models compare`: prints one row per property and one column per model. */
export const modelsCompare = defineCommand({
  examples: ["tollgate models compare sim/echo sim/lorem", "tollgate models compare a b --json=id,pricing,performance"],
  arguments: [{ name: "models", description: "Two to six model IDs", many: true, completes: "models" }],
  fields: modelFields,
  operations: ["getModel", "listHubModels"],
  async run(context, _, args) {
    const ids = [...new Set(args.models)];
    if (ids.length < 2 || ids.length > MAX_MODELS) throw usageError("Specify two to six models to compare.");
    const platform = await openPlatform(context);
    const [hub, ...answers] = await context.waiting(
      "loading models…",
      Promise.all([readHub(platform), ...ids.map((id) => platform.call("getModel", { params: { id } }))]),
    );
    const models = answers.map(({ model }) => withHub(model, hub));
    const { output } = context;
    if (output.isJson) return output.list({ rows: models, columns: [] });
    const facts = models.map((model) => new Map(modelFacts(model)));
    const names = [...(facts[0]?.keys() ?? [])].filter((name) => facts.some((each) => each.get(name) != null));
    output.list({
      rows: names.map((name) => ({ name })),
      columns: [
        { header: "", value: ({ name }) => name, priority: 1, paint: (text, { dim }) => dim(text) },
        ...models.map(({ id }, at) => ({
          header: id,
          value: ({ name }: { name: string }) => facts[at]?.get(name) ?? "–",
          priority: 1,
        })),
      ],
    });
  },
});
