import { defineCommand } from "../../../command.ts";
import { modelFacts, modelFields, withHub } from "./model-facts.ts";
import { openPlatform, readHub } from "./open-platform.ts";

/** The `tollgate models show` command. */
export const modelsShow = defineCommand({
  examples: ["tollgate models show sim/echo", "tollgate models show sim/echo --jq .pricing"],
  arguments: [{ name: "model", description: "Model ID", completes: "models" }],
  fields: modelFields,
  operations: ["getModel", "listHubModels"],
  async run(context, _, args) {
    const platform = await openPlatform(context);
    const [{ model }, hub] = await Promise.all([
      platform.call("getModel", { params: { id: args.model } }),
      readHub(platform),
    ]);
    const shown = withHub(model, hub);
    const { supportedParams = [] } = shown;
    context.output.pairs(shown, [
      ["model", shown.id],
      ["name", shown.name === shown.id ? null : shown.name],
      ["description", shown.description === "" ? null : shown.description],
      ...modelFacts(shown),
      ["parameters", supportedParams.length === 0 ? null : supportedParams.join(", ")],
    ]);
    if (shown.type === "chat") context.output.next(`tollgate chat -m ${shown.id} "hello"`);
  },
});
