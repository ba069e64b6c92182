// One of five participants. None of them has access to the examples of the others.
import { fedAvgAggregate, Participant } from "@tollgate/sdk/training";
import { accuracyOf, fit, load, lossOf, save } from "./logistic-model.ts";
import { FEATURES, makeExamples } from "./make-examples.ts";

const { training, heldOut } = makeExamples(Number(process.env.PARTICIPANT_INDEX ?? 0));
const participant = new Participant();

participant.registerTrain((parameters) => {
  const model = fit(load(parameters, FEATURES), training, 5, 0.2);
  return { parameters: save(model), numExamples: training.length, metrics: { accuracy: accuracyOf(model, training) } };
});
participant.registerEvaluate((parameters) => {
  const model = load(parameters, FEATURES);
  const metrics = { loss: lossOf(model, heldOut) };
  return { accuracy: accuracyOf(model, heldOut), numExamples: heldOut.length, metrics };
});
participant.registerAggregate(fedAvgAggregate());

await participant.run();
