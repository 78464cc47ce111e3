#compdef mixrag
# zsh completion for mixrag, made by: mixrag completion zsh
_mixrag_config_path() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_config_unset() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '1:value:(store embedder device threads workers table_representation prose_chunks passage_tokens embedder_window nlp words_candidates meaning_candidates rerank rerank_candidates fusion acceptance evidence sources accept_precision correction calibration near_duplicates passages_a_file expansion choose_document generator generator_model strategy context_tokens answer_tokens generator_seconds generator_requests gpu_layers chat_template seed summaries summary_tokens summary_minutes group offline serve_minutes max_file_mb max_text_file_mb ocr worker_memory_mb worker_silence_s worker_total_s worker_cpu_s)' \
        '*:value:_default'
}
_mixrag_config_set() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '1:value:(store embedder device threads workers table_representation prose_chunks passage_tokens embedder_window nlp words_candidates meaning_candidates rerank rerank_candidates fusion acceptance evidence sources accept_precision correction calibration near_duplicates passages_a_file expansion choose_document generator generator_model strategy context_tokens answer_tokens generator_seconds generator_requests gpu_layers chat_template seed summaries summary_tokens summary_minutes group offline serve_minutes max_file_mb max_text_file_mb ocr worker_memory_mb worker_silence_s worker_total_s worker_cpu_s)' \
        '*:value:_default'
}
_mixrag_config_get() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '1:value:(store embedder device threads workers table_representation prose_chunks passage_tokens embedder_window nlp words_candidates meaning_candidates rerank rerank_candidates fusion acceptance evidence sources accept_precision correction calibration near_duplicates passages_a_file expansion choose_document generator generator_model strategy context_tokens answer_tokens generator_seconds generator_requests gpu_layers chat_template seed summaries summary_tokens summary_minutes group offline serve_minutes max_file_mb max_text_file_mb ocr worker_memory_mb worker_silence_s worker_total_s worker_cpu_s)' \
        '*:value:_default'
}
_mixrag_config_list() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_config() {
    local curcontext=$curcontext state line
    _arguments -C -S \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '1:command:->command' \
        '*::argument:->argument'
    case $state in
        command) local -a commands=('list:List every setting, its value and where it comes from' 'get:Print one setting'\''s value' 'set:Set a value in your config.toml; it is checked first' 'unset:Remove a value from your config.toml, so that the default holds again' 'path:Print where your config.toml lies, whether or not it exists'); _describe command commands ;;
        argument) case $line[1] in
            list) _mixrag_config_list ;;
            get) _mixrag_config_get ;;
            set) _mixrag_config_set ;;
            unset) _mixrag_config_unset ;;
            path) _mixrag_config_path ;;
        esac ;;
    esac
}
_mixrag_models_remove() {
    _arguments -C -S \
        '*--yes[Do not ask before something is removed]' '*-y[Do not ask before something is removed]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_models_path() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_models_use() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_models_verify() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_models_pull() {
    _arguments -C -S \
        '*--offline[Never use the network]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_models_list() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_models() {
    local curcontext=$curcontext state line
    _arguments -C -S \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '1:command:->command' \
        '*::argument:->argument'
    case $state in
        command) local -a commands=('list:List good small models, and those on this machine; needs no network' 'pull:Fetch a model from the Hugging Face hub, going on where an earlier try ended' 'verify:Read the models on this machine and compare their sha256' 'use:Answer with this model from now on; "none" for the built-in reader' 'path:Print where a model'\''s file lies' 'remove:Delete a model'\''s file'); _describe command commands ;;
        argument) case $line[1] in
            list) _mixrag_models_list ;;
            pull) _mixrag_models_pull ;;
            verify) _mixrag_models_verify ;;
            use) _mixrag_models_use ;;
            path) _mixrag_models_path ;;
            remove) _mixrag_models_remove ;;
        esac ;;
    esac
}
_mixrag_collections_remove() {
    _arguments -C -S \
        '*--delete[Delete the index too; the documents stay]' \
        '*--yes[Do not ask before something is removed]' '*-y[Do not ask before something is removed]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_collections_add() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_collections_list() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_collections() {
    local curcontext=$curcontext state line
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '1:command:->command' \
        '*::argument:->argument'
    case $state in
        command) local -a commands=('list:List the named indexes, as `mixrag collections` does' 'add:Give a name to an index that is there already' 'remove:Forget a name; the index stays where it is, unless --delete'); _describe command commands ;;
        argument) case $line[1] in
            list) _mixrag_collections_list ;;
            add) _mixrag_collections_add ;;
            remove) _mixrag_collections_remove ;;
        esac ;;
    esac
}
_mixrag_completion() {
    _arguments -C -S \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '1:value:(bash zsh fish)' \
        '*:value:_default'
}
_mixrag_doctor() {
    _arguments -C -S \
        '*--index[Also read all of the index and verify it]' \
        '*--model[Also load the generator and measure how fast it is]' \
        '*--gpu[Also tell which cards are there and used, and what they are worth]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_serve() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_mcp() {
    _arguments -C -S \
        '*--http[Serve on a port of this machine instead of stdio]' \
        '*--port=[With --http - which port]:value: ' \
        '*--origin=[With --http - let pages of this origin in; may be repeated]:value: ' \
        '*--generator=[The model that answers - a GGUF file, a name from models list, or a server]:value: ' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_publish() {
    _arguments -C -S \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_remove() {
    _arguments -C -S \
        '*--yes[Do not ask before something is removed]' '*-y[Do not ask before something is removed]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_status() {
    _arguments -C -S \
        '*--skipped[List the files that are not in the index, and why]' \
        '*--changed[List the files that differ from the index]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_ls() {
    _arguments -C -S \
        '*--all[Files that a rule leaves out as well]' '*-a[Files that a rule leaves out as well]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_calibrate() {
    _arguments -C -S \
        '*--reset[Go back to the thresholds that are shipped]' \
        '*--html=[Write the report as a page]:value: ' \
        '*--wait=[Wait this many seconds for an index run to end]:value: ' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_eval() {
    _arguments -C -S \
        '*--compare=[Compare with this run - settings such as fusion=rrf,rerank=none, or words, meaning, rrf; may be repeated]:value: ' \
        '*--ablate[Remove or add one method at a time]' \
        '*--answers[Answer the questions, not only search]' \
        '*--judge=[Let this generator judge answers and passages]:value: ' \
        '*--measure=[Such as nDCG@10, HiT@5, F1, refusal-recall; may be repeated]:value: ' \
        '*--k=[Where rankings are cut; several with commas]:value: ' \
        '*--split=[Only this split; after a comma others that must agree in sign]:value: ' \
        '*--only=[Only questions with this value in this field; may be repeated]:value: ' \
        '*--by=[Tell the means apart by this field]:value: ' \
        '*--limit=[Only the first N questions; 0 for all]:value: ' '*-n[Only the first N questions; 0 for all]:value: ' \
        '*--files=[The documents that questions.jsonl asks about]:folder:_files -/' \
        '*--distractors=[Search in this set'\''s documents besides; may be repeated]:folder:_files -/' \
        '*--sizes=[Search in so many of the documents, from few to many, and compare]:value: ' \
        '*--against=[Ask this set'\''s documents instead, which hold no answer]:folder:_files -/' \
        '*--html=[Write the report as a page]:value: ' \
        '*--scores=[Write each question'\''s scores as JSON lines]:value: ' \
        '*--cache=[Keep indexes and model replies here]:folder:_files -/' \
        '*--replay[Call no model whose reply is not cached]' \
        '*--fresh[Index the data set again]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_show() {
    _arguments -C -S \
        '*--tables[List the tables and facts found in the file]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_search() {
    _arguments -C -S \
        '*--limit=[How many passages, or files, at most]:value: ' '*-n[How many passages, or files, at most]:value: ' \
        '*--files[Only the paths of the files, one a line]' '*-l[Only the paths of the files, one a line]' \
        '*--context=[So many passages before and after each]:value: ' '*-C[So many passages before and after each]:value: ' \
        '*--open[Open the best place in $VISUAL or $EDITOR, at its line]' \
        '*--path=[Only files under this path, or matching this glob; may be repeated]:value: ' \
        '*--modality=[Only documents of this kind - pdf, markdown, code, sheet, html, notebook, text, document, slides, mail, image]:value:(pdf markdown code sheet html notebook text document slides mail image)' \
        '*--kind=[Only passages of this kind - prose, code, table, row]:value:(prose code table row)' \
        '*--language=[Only code in this language - python, rust, sql, …, or a suffix]:value: ' \
        '*--since=[Only files changed since then - a date such as 2025-03-31, or an age such as 12h, 7d, 2w, 1y]:value: ' '*--modified=[Only files changed since then - a date such as 2025-03-31, or an age such as 12h, 7d, 2w, 1y]:value: ' \
        '*--file=[Read this file now instead of any index; may be repeated]:value: ' \
        '*--rerank=[How the best passages are reranked - late, none, llm, or a CrossEncoder by name]:value: ' \
        '*--sync[First bring the files that have changed into the index]' \
        '*--expand=[How the model widens the search - none, hyde, step-back, modality-hyde, rephrase, query-to-document]:value:(none hyde step-back modality-hyde rephrase query-to-document)' \
        '*--generator=[The model that answers - a GGUF file, a name from models list, or a server]:value: ' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_chat() {
    _arguments -C -S \
        '*--path=[Only files under this path, or matching this glob; may be repeated]:value: ' \
        '*--modality=[Only documents of this kind - pdf, markdown, code, sheet, html, notebook, text, document, slides, mail, image]:value:(pdf markdown code sheet html notebook text document slides mail image)' \
        '*--kind=[Only passages of this kind - prose, code, table, row]:value:(prose code table row)' \
        '*--language=[Only code in this language - python, rust, sql, …, or a suffix]:value: ' \
        '*--since=[Only files changed since then - a date such as 2025-03-31, or an age such as 12h, 7d, 2w, 1y]:value: ' '*--modified=[Only files changed since then - a date such as 2025-03-31, or an age such as 12h, 7d, 2w, 1y]:value: ' \
        '*--file=[Read this file now instead of any index; may be repeated]:value: ' \
        '*--rerank=[How the best passages are reranked - late, none, llm, or a CrossEncoder by name]:value: ' \
        '*--sync[First bring the files that have changed into the index]' \
        '*--generator=[The model that answers - a GGUF file, a name from models list, or a server]:value: ' \
        '*--strategy=[How the model is asked - recap, direct, cot, eedp, pot]:value:(recap direct cot eedp pot)' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_ask() {
    _arguments -C -S \
        '*--path=[Only files under this path, or matching this glob; may be repeated]:value: ' \
        '*--modality=[Only documents of this kind - pdf, markdown, code, sheet, html, notebook, text, document, slides, mail, image]:value:(pdf markdown code sheet html notebook text document slides mail image)' \
        '*--kind=[Only passages of this kind - prose, code, table, row]:value:(prose code table row)' \
        '*--language=[Only code in this language - python, rust, sql, …, or a suffix]:value: ' \
        '*--since=[Only files changed since then - a date such as 2025-03-31, or an age such as 12h, 7d, 2w, 1y]:value: ' '*--modified=[Only files changed since then - a date such as 2025-03-31, or an age such as 12h, 7d, 2w, 1y]:value: ' \
        '*--file=[Read this file now instead of any index; may be repeated]:value: ' \
        '*--rerank=[How the best passages are reranked - late, none, llm, or a CrossEncoder by name]:value: ' \
        '*--sync[First bring the files that have changed into the index]' \
        '*--expand=[How the model widens the search - none, hyde, step-back, modality-hyde, rephrase, query-to-document]:value:(none hyde step-back modality-hyde rephrase query-to-document)' \
        '*--generator=[The model that answers - a GGUF file, a name from models list, or a server]:value: ' \
        '*--strategy=[How the model is asked - recap, direct, cot, eedp, pot]:value:(recap direct cot eedp pot)' \
        '*--accept=[The least grade that counts as an answer - answered; or likely - the best guess is given as the answer, the status stays likely, and the exit code is 0]:value:(answered likely)' \
        '*--explain[Show all five RECAP steps, not only the result]' \
        '*--jsonl=[Answer each line of this file of questions; - reads stdin]:value: ' \
        '*--output=[With --jsonl - add the answers to this file, and resume it]:value: ' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag_index() {
    _arguments -C -S \
        '*--rebuild[Make the index anew; until it is whole, the one there answers]' \
        '*--estimate[Measure a sample, say what the run would take, and write nothing]' \
        '*--prune[Forget missing files even when they are a large part of the index]' \
        '*--follow[Follow symbolic links that stay inside the folder]' \
        '*--wait=[Wait this many seconds for another index run to end]:value: ' \
        '*--exclude=[Leave these files or folders out, now and later; may be repeated; '\'''\'' forgets what was given before]:value: ' \
        '*--include=[Only these files, now and later; as --exclude]:value: ' \
        '*--encoding=[Read these text files in this encoding, now and later; as --exclude. Example - '\''old/*.txt=cp850'\'']:value: ' \
        '*--watch[Then keep the index fresh as files change, until Ctrl-C]' \
        '*--ray=[Read the files on all machines of a Ray cluster that see them; auto - the one here, or a new one]:value: ' \
        '*--summaries=[Let the model summarise tables - none, short, long]:value:(none short long)' \
        '*--generator=[The model that answers - a GGUF file, a name from models list, or a server]:value: ' \
        '*--yes[Do not ask before something is removed]' '*-y[Do not ask before something is removed]' \
        '*--json[Print one JSON object on stdout]' \
        '*--store=[The index to use, instead of the one found from here upward; or the address of a published one]:folder:_files -/' \
        '*--collection=[The index of this name; see mixrag collections]:value: ' \
        '*--color=[When to use colours and links]:value:(auto always never)' \
        '*--quiet[No progress and no notes on stderr]' '*-q[No progress and no notes on stderr]' \
        '*--debug[Show a traceback where there is one]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '*:argument:_default'
}
_mixrag() {
    local curcontext=$curcontext state line
    _arguments -C -S \
        '*--version[Print the version]' \
        '*--help[Show what it does and its options]' '*-h[Show what it does and its options]' \
        '1:command:->command' \
        '*::argument:->argument'
    case $state in
        command) local -a commands=('index:Index folders, or bring their index up to date' 'ask:Answer a question from the indexed documents, with sources; or, with --jsonl, many' 'chat:Ask question after question; follow-ups may lean on what was said before' 'search:List the passages that match best, by words and by meaning, file by file' 'show:Show a cited place with what stands around it' 'eval:Measure retrieval and answers on a data set, with 95 % intervals' 'calibrate:Fit the thresholds of each source to this index, with labels or without' 'ls:List the files in the index: state, kind, passages, size and path' 'status:Tell what is in the index, and what is not' 'remove:Take files out of the index; the files themselves stay' 'publish:Put the last commit where others can read it with --store ADDRESS' 'mcp:Let programs that speak the Model Context Protocol ask this index' 'serve:Keep models and the index open; ask, search and chat use it while it runs, and never need it' 'doctor:Check that this machine is fit, with remedies' 'completion:Print a completion script for your shell' 'collections:List indexes that have a name, name one, or forget a name' 'models:Fetch and choose local language models' 'config:Read and change your settings'); _describe command commands ;;
        argument) case $line[1] in
            index) _mixrag_index ;;
            ask) _mixrag_ask ;;
            chat) _mixrag_chat ;;
            search) _mixrag_search ;;
            show) _mixrag_show ;;
            eval) _mixrag_eval ;;
            calibrate) _mixrag_calibrate ;;
            ls) _mixrag_ls ;;
            status) _mixrag_status ;;
            remove) _mixrag_remove ;;
            publish) _mixrag_publish ;;
            mcp) _mixrag_mcp ;;
            serve) _mixrag_serve ;;
            doctor) _mixrag_doctor ;;
            completion) _mixrag_completion ;;
            collections) _mixrag_collections ;;
            models) _mixrag_models ;;
            config) _mixrag_config ;;
        esac ;;
    esac
}
if [[ $funcstack[1] == _mixrag ]]; then _mixrag "$@"; else compdef _mixrag mixrag; fi
