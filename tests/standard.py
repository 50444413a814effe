"""The tests' standard document: three pages of play, invented for this project, with unit ids that fall and jump."""

from __future__ import annotations

from extraction.source.documents import SourceUnit

GM, CORWEN, PIKE = "Ottilie", "Bram", "Yun"

PAGE_1 = (
    (41, GM, "The ferry noses into Saltwick at dusk. A woman with a lantern waits on the pier."),
    (42, PIKE, "Is that the harbourmaster?"),
    (44, GM, "It is. Harbourmaster Dell, and she does not look pleased to see you."),
    (45, CORWEN, "I bow. Sister Corwen, of the Ninth Candle, at your service."),
    (46, GM, "'Your service,' says Dell, 'cost me two boats last spring.'"),
    (47, PIKE, "Worth it."),
    (49, CORWEN, "Pike, please."),
    (50, GM, "Behind her an old man is mending a net. That is Wick, the eel-catcher."),
    (51, PIKE, "Wick! Did the eels come back?"),
    (52, GM, "'Not since the bell,' Wick says, and he will not look at the water."),
    (53, CORWEN, "What bell?"),
    (55, GM, "Dell cuts in. 'There is no bell. Ask Mother Quillon, if you must ask somebody.'"),
)
PAGE_2 = (
    (7, PIKE, "Can we take five? I need tea before we meet any more mothers."),
    (8, GM, "Five minutes. Fine."),
    (9, GM, "So. The chapel is a boathouse with the boats turned upside down."),
    (11, CORWEN, "I look for Mother Quillon."),
    (12, GM, "She is sitting in the smallest boat. 'You heard it too,' says Mother Quillon."),
    (13, PIKE, "We heard that nobody heard it."),
    (14, GM, "She laughs and hands Pike a bronze tongue, green with salt. The clapper of a bell."),
    (16, PIKE, "I put the clapper in my coat."),
    (17, CORWEN, "Whose was it?"),
    (18, GM, "'Captain Voss had it cast. Aurelio Voss, who drowned with the Marigold.'"),
    (20, CORWEN, "So the captain is dead."),
    (21, GM, "'I said that he drowned, dear.'"),
)
PAGE_3 = (
    (203, GM, "At midnight the bell rings, out past the bar, slow as breathing."),
    (201, PIKE, "The one without a clapper."),
    (204, GM, "That one. A longboat comes in without oars. A man stands in it: Aurelio Voss."),
    (202, CORWEN, "I raise the candle. 'Captain, you are a long way from your grave.'"),
    (209, GM, "'I have come,' says Voss, 'for the piece that is mine.'"),
    (206, PIKE, "No, wait. I was going to throw it to Wick. Can I throw it to Wick?"),
    (205, GM, "You can. Wick catches it, and he holds it the way you would hold a child."),
    (210, CORWEN, "What does Dell do?"),
    (208, GM, "Dell blows out her lantern."),
    (207, PIKE, "I hate it here."),
    (212, GM, "Eleven on the dice for the wave. Nobody is washed away. Barely."),
    (211, CORWEN, "Then we bargain with the captain."),
)

UNITS = tuple(SourceUnit(unit_id, speaker, text) for unit_id, speaker, text in PAGE_1 + PAGE_2 + PAGE_3)

# Each person's ranges stand in document order, which is not the order of the numbers.
NPCS = {
    "Harbourmaster Dell": ((44, 46), (55, 55), (210, 208)),
    "Wick": ((50, 52), (206, 205)),
    "Mother Quillon": ((55, 55), (11, 14), (21, 21)),
    "Aurelio Voss": ((18, 20), (204, 209)),
}
