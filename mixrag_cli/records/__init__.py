"""The shared records: what flows between the workers, from a source file to an answer.

    SourceFile ─► Document(blocks, grids) ─► Table ─► Chunk ─► Hit ─► Evidence ─► Answer

Every record is frozen. Ids are hashes of content and place, so the same input gives the same store.
Nothing here imports anything else of the project.
"""
