from array import array

import tollgate_participant
from tollgate_participant import Participant, fed_avg_aggregate

assert "site-packages" in tollgate_participant.__file__, "the installed wheel was not imported"
app = Participant(dataset="data.csv")
app.register_train(lambda parameters, dataset: array("f", [float(row["value"]) for row in dataset]).tobytes())
app.register_evaluate(lambda parameters, dataset: array("f", parameters)[0] / 4)
app.register_aggregate(fed_avg_aggregate("f32"))
app.run()
