# bash completion for mixrag, made by: mixrag completion bash
_mixrag() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= each words= flags=
    [[ $word == = ]] && word=
    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}
    for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $path/$each in
            /index|/ask|/chat|/search|/show|/eval|/calibrate|/ls|/status|/remove|/publish|/mcp|/serve|/doctor|/completion|/collections|/collections/list|/collections/add|/collections/remove|/models|/models/list|/models/pull|/models/verify|/models/use|/models/path|/models/remove|/config|/config/list|/config/get|/config/set|/config/unset|/config/path) path=$path/$each ;;
        esac
    done
    case $path:$previous in
        *:--wait) COMPREPLY=(); return ;;
        *:--exclude) COMPREPLY=(); return ;;
        *:--include) COMPREPLY=(); return ;;
        *:--encoding) COMPREPLY=(); return ;;
        *:--ray) COMPREPLY=(); return ;;
        *:--summaries) COMPREPLY=($(compgen -W 'none short long' -- "$word")); return ;;
        *:--generator) COMPREPLY=(); return ;;
        *:--store) COMPREPLY=($(compgen -d -- "$word")); return ;;
        *:--collection) COMPREPLY=(); return ;;
        *:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return ;;
        *:--path) COMPREPLY=(); return ;;
        *:--modality) COMPREPLY=($(compgen -W 'pdf markdown code sheet html notebook text document slides mail image' -- "$word")); return ;;
        *:--kind) COMPREPLY=($(compgen -W 'prose code table row' -- "$word")); return ;;
        *:--language) COMPREPLY=(); return ;;
        *:--since|*:--modified) COMPREPLY=(); return ;;
        *:--file) COMPREPLY=(); return ;;
        *:--rerank) COMPREPLY=(); return ;;
        *:--expand) COMPREPLY=($(compgen -W 'none hyde step-back modality-hyde rephrase query-to-document' -- "$word")); return ;;
        *:--strategy) COMPREPLY=($(compgen -W 'recap direct cot eedp pot' -- "$word")); return ;;
        *:--accept) COMPREPLY=($(compgen -W 'answered likely' -- "$word")); return ;;
        *:--jsonl) COMPREPLY=(); return ;;
        *:--output) COMPREPLY=(); return ;;
        *:--limit|*:-n) COMPREPLY=(); return ;;
        *:--context|*:-C) COMPREPLY=(); return ;;
        *:--compare) COMPREPLY=(); return ;;
        *:--judge) COMPREPLY=(); return ;;
        *:--measure) COMPREPLY=(); return ;;
        *:--k) COMPREPLY=(); return ;;
        *:--split) COMPREPLY=(); return ;;
        *:--only) COMPREPLY=(); return ;;
        *:--by) COMPREPLY=(); return ;;
        *:--files) COMPREPLY=($(compgen -d -- "$word")); return ;;
        *:--distractors) COMPREPLY=($(compgen -d -- "$word")); return ;;
        *:--sizes) COMPREPLY=(); return ;;
        *:--against) COMPREPLY=($(compgen -d -- "$word")); return ;;
        *:--html) COMPREPLY=(); return ;;
        *:--scores) COMPREPLY=(); return ;;
        *:--cache) COMPREPLY=($(compgen -d -- "$word")); return ;;
        *:--port) COMPREPLY=(); return ;;
        *:--origin) COMPREPLY=(); return ;;
    esac
    case $path in
        '') words='index ask chat search show eval calibrate ls status remove publish mcp serve doctor completion collections models config' flags='--version --help -h' ;;
        '/index') words='' flags='--rebuild --estimate --prune --follow --wait --exclude --include --encoding --watch --ray --summaries --generator --yes -y --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/ask') words='' flags='--path --modality --kind --language --since --modified --file --rerank --sync --expand --generator --strategy --accept --explain --jsonl --output --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/chat') words='' flags='--path --modality --kind --language --since --modified --file --rerank --sync --generator --strategy --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/search') words='' flags='--limit -n --files -l --context -C --open --path --modality --kind --language --since --modified --file --rerank --sync --expand --generator --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/show') words='' flags='--tables --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/eval') words='' flags='--compare --ablate --answers --judge --measure --k --split --only --by --limit -n --files --distractors --sizes --against --html --scores --cache --replay --fresh --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/calibrate') words='' flags='--reset --html --wait --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/ls') words='' flags='--all -a --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/status') words='' flags='--skipped --changed --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/remove') words='' flags='--yes -y --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/publish') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/mcp') words='' flags='--http --port --origin --generator --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/serve') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/doctor') words='' flags='--index --model --gpu --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/completion') words='bash zsh fish' flags='--help -h' ;;
        '/collections') words='list add remove' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/collections/list') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/collections/add') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/collections/remove') words='' flags='--delete --yes -y --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/models') words='list pull verify use path remove' flags='--help -h' ;;
        '/models/list') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/models/pull') words='' flags='--offline --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/models/verify') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/models/use') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/models/path') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/models/remove') words='' flags='--yes -y --json --store --collection --color --quiet -q --debug --help -h' ;;
        '/config') words='list get set unset path' flags='--help -h' ;;
        '/config/list') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/config/get') words='store embedder device threads workers table_representation prose_chunks passage_tokens embedder_window nlp words_candidates meaning_candidates rerank rerank_candidates fusion acceptance evidence sources accept_precision correction calibration near_duplicates passages_a_file expansion choose_document generator generator_model strategy context_tokens answer_tokens generator_seconds generator_requests gpu_layers chat_template seed summaries summary_tokens summary_minutes group offline serve_minutes max_file_mb max_text_file_mb ocr worker_memory_mb worker_silence_s worker_total_s worker_cpu_s' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/config/set') words='store embedder device threads workers table_representation prose_chunks passage_tokens embedder_window nlp words_candidates meaning_candidates rerank rerank_candidates fusion acceptance evidence sources accept_precision correction calibration near_duplicates passages_a_file expansion choose_document generator generator_model strategy context_tokens answer_tokens generator_seconds generator_requests gpu_layers chat_template seed summaries summary_tokens summary_minutes group offline serve_minutes max_file_mb max_text_file_mb ocr worker_memory_mb worker_silence_s worker_total_s worker_cpu_s' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/config/unset') words='store embedder device threads workers table_representation prose_chunks passage_tokens embedder_window nlp words_candidates meaning_candidates rerank rerank_candidates fusion acceptance evidence sources accept_precision correction calibration near_duplicates passages_a_file expansion choose_document generator generator_model strategy context_tokens answer_tokens generator_seconds generator_requests gpu_layers chat_template seed summaries summary_tokens summary_minutes group offline serve_minutes max_file_mb max_text_file_mb ocr worker_memory_mb worker_silence_s worker_total_s worker_cpu_s' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
        '/config/path') words='' flags='--json --store --collection --color --quiet -q --debug --help -h' ;;
    esac
    [[ $word == -* ]] && words=$flags
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _mixrag mixrag
