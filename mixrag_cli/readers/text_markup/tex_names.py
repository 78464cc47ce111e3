"""What TeX's commands stand for on the page: symbols, accents, units, and those that only lay out.

Sources: LaTeX 2e unofficial reference manual (symbols, accents); siunitx manual, version 3 (units, prefixes, numbers).
"""

from __future__ import annotations

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega varepsilon vartheta varpi varrho varsigma "
    "varphi"
)
_SIGN_NAMES = (
    "times pm mp cdot div ast le leq leqslant ge geq geqslant ne neq approx sim simeq cong equiv propto ll gg to "
    "rightarrow leftarrow leftrightarrow Rightarrow Leftarrow infty partial nabla sum prod int in notin subset cup "
    "cap forall exists neg land lor langle rangle ldots dots cdots degree textdegree circ prime ell hbar checkmark "
    "bullet star dag dagger ddag ddagger S P copyright textregistered texttrademark pounds euro EUR textmu micro "
    "textpm texttimes textless textgreater textbackslash textasciitilde textendash textemdash textbullet AA aa O o "
    "AE ae OE oe ss L l i j lbrace rbrace vert mid parallel perp angle square triangle oplus otimes surd"
)
_SIGNS = "×±∓·÷*≤≤≤≥≥≥≠≠≈~≃≅≡∝≪≫→→←↔⇒⇐∞∂∇∑∏∫∈∉⊂∪∩∀∃¬∧∨⟨⟩………°°°′ℓħ✓•⋆††‡‡§¶©®™£€€µµ±×<>\\~–—•ÅåØøÆæŒœßŁłıȷ{}||∥⊥∠□△⊕⊗√"
SYMBOLS = {
    **dict(zip(_GREEK_NAMES.split(), "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩεθπρςφ", strict=True)),
    **dict(zip(_SIGN_NAMES.split(), _SIGNS, strict=True)),
    **{"quad": " ", "qquad": " ", "space": " "},
}
LETTERS = frozenset(("AA", "aa", "O", "o", "AE", "ae", "OE", "oe", "ss", "L", "l", "i", "j"))  # of a word
_ACCENT_NAMES = "' ` ^ \" ~ = . c v u H k r d b"
_ACCENTS = "\u0301\u0300\u0302\u0308\u0303\u0304\u0307\u0327\u030c\u0306\u030b\u0328\u030a\u0323\u0331"
ACCENTS = dict(zip(_ACCENT_NAMES.split(), _ACCENTS, strict=True))
_LAYOUT = (
    "centering raggedright raggedleft flushleft flushright noindent indent par newline linebreak pagebreak newpage "
    "clearpage cleardoublepage maketitle tableofcontents listoffigures listoftables appendix frontmatter mainmatter "
    "backmatter tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bf it rm sf tt sl sc em "
    "bfseries mdseries itshape slshape upshape scshape rmfamily sffamily ttfamily normalfont emph boldmath hline "
    "toprule midrule bottomrule tabularnewline arraybackslash addlinespace left right big Big bigg Bigg bigl bigr "
    "Bigl Bigr biggl biggr displaystyle textstyle scriptstyle limits nolimits nonumber notag protect relax "
    "ignorespaces unskip hfill vfill hfil vfil hrulefill dotfill smallskip medskip bigskip smallbreak medbreak "
    "bigbreak strut null onehalfspacing doublespacing singlespacing sloppy fussy makeatletter makeatother bgroup "
    "egroup begingroup endgroup leavevmode hskip vskip kern FloatBarrier landscape endhead endfirsthead endfoot "
    "endlastfoot printbibliography linewidth textwidth columnwidth ensuremath mathrm mathbf boldsymbol bm cr qty else "
    "fi or"
)
LAYOUT = frozenset(_LAYOUT.split())  # without an argument of their own, or with one that is shown as it is
_UNSHOWN = (
    "label vspace hspace cellcolor rowcolor columncolor color pagestyle thispagestyle phantom hphantom vphantom "
    "includegraphics bibliography bibliographystyle arrayrulecolor index cline cmidrule pagenumbering graphicspath "
    "noalign rowcolors setstretch specialrule enlargethispage captionsetup"
)
_UNSHOWN_PAIRS = ("setlength", "addtolength", "setcounter", "addtocounter", "rule", "fontsize")
# Commands whose arguments say nothing to a reader, with their number.
UNSHOWN = {**dict.fromkeys(_UNSHOWN.split(), 1), **dict.fromkeys(_UNSHOWN_PAIRS, 2)}
_LAST_OF_TWO = "textcolor colorbox parbox rotatebox scalebox raisebox href hyperlink hypertarget"
_LAST_OF_THREE = ("multirow", "multicolumn", "resizebox", "fcolorbox")
# Commands of whose arguments the last is the text, with their number.
LAST_SHOWN = {**dict.fromkeys(_LAST_OF_TWO.split(), 2), **dict.fromkeys(_LAST_OF_THREE, 3)}
_SETTING = "Large LARGE Huge MakeUppercase MakeLowercase Cref Crefrange Autoref Vref Citet Citep"
SETTING = frozenset(_SETTING.split())  # of the commands with a capital; another such is somebody's own name
_ABOUT = "title subtitle author date institute affil affiliation keywords"
ABOUT = frozenset(_ABOUT.split())  # shown by their names
NOTES = frozenset(("footnote", "footnotetext", "thanks", "marginpar"))  # a note's text stands apart
NUMBERS = {"num": 1, "ang": 1, "SI": 1, "qty": 1, "numrange": 2, "SIrange": 2, "qtyrange": 2}  # how many, each
HAS_UNIT = frozenset(("SI", "qty", "SIrange", "qtyrange"))
UNITS_ALONE = frozenset(("si", "unit"))
_PREFIXES = "pico p nano n micro µ milli m centi c deci d kilo k mega M giga G tera T femto f hecto h"
_UNITS = (
    "metre m meter m gram g kilogram kg second s minute min hour h day d ampere A kelvin K mole mol candela cd "
    "hertz Hz newton N pascal Pa joule J watt W coulomb C volt V farad F ohm Ω siemens S weber Wb tesla T henry H "
    "lumen lm lux lx becquerel Bq gray Gy sievert Sv litre L liter L tonne t bar bar electronvolt eV dalton Da "
    "atomicmassunit u amu u percent % degree ° celsius °C degreeCelsius °C arcminute ′ arcsecond ″ radian rad "
    "decibel dB squared ² cubed ³ bohr a₀"
)
PREFIXES = dict(zip(_PREFIXES.split()[::2], _PREFIXES.split()[1::2], strict=True))
UNITS = dict(zip(_UNITS.split()[::2], _UNITS.split()[1::2], strict=True))
