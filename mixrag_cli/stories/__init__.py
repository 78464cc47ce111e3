"""The two stories of the program, each told top to bottom in one module.

indexing.build_index:  walk ─► changed? ─► read, tables, chunks (worker processes) ─► embed ─► commit
answering.answer_question: question ─► restate ─► candidates ─► fuse ─► accept ─► evidence ─► RECAP ─► present
"""
